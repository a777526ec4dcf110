#!/usr/bin/env bash
# levels.sh rates the levels of the page that plays, for the bot in the box of a game:
#
#	games/box/levels.sh GAME [LADDER.jsonl]
#
# Each level plays against the next two levels. The lowest two levels also play against random play,
# and the lowest against greedy. Some levels play against tree searches with random playouts, against
# alpha-beta, and against the bot with 64 simulations, the opponent of the models of runs. All players
# get Elo ratings by maximum likelihood; random play has 0. The script writes the ratings of the levels
# to serve/web/src/play/levels.json, and those of the other players as marks for the dashboard.
# LADDER.jsonl keeps the games, so that an interrupted run loses none. Each match has GAMES games
# (default: 100). The script needs jq.
set -euo pipefail
cd "$(dirname "$0")/../.."
game=$1 scratch=$(mktemp -d) yardstick=alphabeta:4
[[ $game != patchwork* ]] || yardstick=alphabeta:2
trap 'rm -rf "$scratch"' EXIT
ladder=${2:-$scratch/ladder.jsonl} page=serve/web/src/play/levels.json
go build -o "$scratch/dojo" ./cmd/dojo

mapfile -t levels < <(jq -r --arg box "box:$game" '.levels[] | $box + (if .random > 0 then "#random=\(.random)" else "" end) + ":\(.simulations)"' "$page")
meet() { "$scratch/dojo" evaluate --player "$1" --against "$2" --ladder "$ladder" --games "${GAMES:-100}" "${@:3}" >&2; }
meet greedy random --game "$game" # the opponent of the first match gets rating 0
meet "${levels[0]}" random,greedy
meet "${levels[1]}" random
meet "${levels[4]}" mcts:1000
meet "${levels[6]}" mcts:10000,"$yardstick"
meet "box:$game:64" "${levels[5]},${levels[6]}"
for ((i = 0; i + 1 < ${#levels[@]}; i++)); do
	meet "${levels[i]}" "$(IFS=,; echo "${levels[*]:i+1:2}")"
done
"$scratch/dojo" evaluate --ladder "$ladder" --json | jq -s --arg game "$game" --arg box "box:$game:64" --arg yardstick "$yardstick" --slurpfile page "$page" '
	(map({key: .player, value: .}) | from_entries) as $of
	| $page[0] | .ratings[$game] = {
		model: ($of[$ARGS.positional[0]].model),
		elo: [$ARGS.positional[] | $of[.].elo | round],
		marks: ([$box, "random", "greedy", "mcts:1000", "mcts:10000", $yardstick] | map({key: ., value: ($of[.].elo | round)}) | from_entries)
	}' --args "${levels[@]}" >"$scratch/page"
cp "$scratch/page" "$page"
