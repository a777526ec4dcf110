#!/usr/bin/env bash
# put.sh measures a model, copies it to games/box/GAME.safetensors and writes games/box/GAME.md:
#
#	games/box/put.sh RUN|MODEL [SOLVED.jsonl ...]
#
# With a RUN it takes the best model, and also writes the run's configuration and a proof (see dojo
# help verify). Each match has GAMES games (default: 100). The script refuses a model that is not
# stronger than the model in the box. FORCE=1 skips this match; use it if the features of the game
# have changed, because the model in the box cannot play then. The script needs jq.
set -euo pipefail
cd "$(dirname "$0")/../.."
model=$1 games=${GAMES:-100}
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/dojo" ./cmd/dojo
dojo() { "$scratch/dojo" "$@"; }

file=$model
[ ! -d "$model" ] || file=$model/models/$(cat "$model/best").safetensors
game=$(dojo inspect "$file" --json | jq -r .game)
case $game in
onitama) against=(mcts:1000 mcts:5000 alphabeta:5) time=30ms openings=2 ;;
wallonitama) against=(mcts:1000 mcts:5000 alphabeta:4) time=30ms openings=2 ;;
oanquan) against=(mcts:1000 alphabeta:4 alphabeta:6) time=30ms openings=6 ;;
connectfour) against=(mcts:1000 mcts:10000 alphabeta:8) time=30ms openings=2 ;;
othello) against=(mcts:1000 mcts:5000 alphabeta:4) time=30ms openings=6 ;;
patchwork*) against=(mcts:1000 mcts:2000 alphabeta:2) time=100ms openings=2 ;;
*) against=(mcts:1000 alphabeta:9) time=5ms openings= ;;
esac
if [ "${FORCE:-}" != 1 ]; then
	elo=$(dojo match "$file:64" box:64 --game "$game" --games "$games" --json | jq '.elo | floor')
	[ "$elo" -gt 0 ] || { echo "$model is not stronger than the model in the box: Elo $elo; FORCE=1 replaces it" >&2; exit 1; }
fi

# Balanced openings need a model in the box. So the first model of a game goes into it before the matches.
if [ ! -e "games/box/$game.safetensors" ]; then
	cp "$file" "games/box/$game.safetensors"
	go build -o "$scratch/dojo" ./cmd/dojo
fi

page=$scratch/page
line() { echo "$1" | tee -a "$page" >&2; }
# match PLAYER OPPONENT OPENINGS [FLAG ...] plays a match and appends a row to the table of matches.
match() {
	local player=$1 opponent=$2 openings=$3
	shift 3
	line "$(dojo match "$file$player" "$opponent" --game "$game" --games "$games" --json "$@" 2>/dev/null | jq -r --arg player "box$player" --arg openings "$openings" '
		def sign: round | if . < 0 then "\(.)" else "+\(.)" end;
		"| `\($player)` | `\(.b)` | \($openings) | \(.games) | \(.wins), \(.losses), \(.draws) | \(100 * .pairs[2] / (.pairs | add) | round) % | \(.elo | sign) [\(.elo_low | sign), \(.elo_high | sign)] |"')"
}
# solved FILE BUDGET FLAGS appends a row to the table of solved positions.
solved() {
	local cards
	cards=$(basename "$1" .jsonl)
	line "$(dojo evaluate "$file" --solved "$1" "${@:3}" --json | jq -r --arg cards "${cards#solved-}" --arg budget "$2" '
		"| \($cards | gsub("_"; ",")) | \($budget) | \(1000 * .share | round / 10) % | \(.wins) | \(.thrown) |"')"
}

printf '# %s\n\n```\n%s\n```\n\n' "$game" "$(dojo inspect "$file" | tail -n +2)" >"$page"
line '| player | opponent | openings | games | won, lost, drawn | split pairs | Elo |'
line '|---|---|---|---|---|---|---|'
for opponent in "${against[@]}"; do
	match :64 "$opponent" any
done
match "@$time" "alphabeta@$time" any
[ -z "$openings" ] || match "@$time" "alphabeta@$time" balanced --openings "$openings" --balanced 0.15
if [ $# -gt 0 ]; then
	line ''
	line 'Each row has 400 solved positions with at most three men a side and cards that no run trains on'
	line '(`dojo solve onitama --cards CARDS --sample 400 --json`). "Value kept" is the share of moves that keep the exact value.'
	line 'A win is thrown away if the move gives up a won position.'
	line ''
	line '| cards | budget | value kept | wins | thrown away |'
	line '|---|---|---|---|---|'
	for positions; do
		solved "$positions" '64 simulations' --simulations 64
		solved "$positions" "${time/ms/ ms}" --time "$time"
	done
fi
if [ -d "$model" ]; then
	line ''
	line '| generation | games | Elo |'
	line '|---|---|---|'
	line "$(dojo evaluate "$model" --generations 6 --games "$games" --simulations 64 --json 2>/dev/null | jq -rs '
		def sign: round | if . < 0 then "\(.)" else "+\(.)" end;
		sort_by(.player)[] | "| \(.player | sub(".*/"; "") | sub("[.].*"; "")) | \(.games) | \(.elo | sign) [\(.elo_low | sign), \(.elo_high | sign)] |"')"
	sed -n 's/^  //p' "$model/run.yaml" >"games/box/$game.yaml" # the lines below config:
	dojo verify "$model" -o "games/box/$game.proof.zip" --force
else
	rm -f "games/box/$game.proof.zip" # a proof of the previous model
fi
cp "$file" "games/box/$game.safetensors"
cp "$page" "games/box/$game.md"
