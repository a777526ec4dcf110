#!/usr/bin/env bash
# Measures a model, copies it to models/GAME.safetensors and writes models/GAME.md:
#
#	models/put.sh RUN|MODEL [SOLVED.jsonl ...]
#
# GAMES=100 is the number of games of each match. A model that is not stronger than
# the one in the box is refused unless FORCE=1. When the features of a game have
# changed, the model in the box plays no longer: FORCE=1 skips the match against it.
set -euo pipefail
cd "$(dirname "$0")/.."
model=$1 games=${GAMES:-100}
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/dojo" ./cmd/dojo

field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" | head -n 1; } # of an object in JSON
dojo() {
	printf '\n```sh\ndojo %s\n```\n```\n' "$*" >>"$scratch/page"
	"$scratch/dojo" "$@" | tee -a "$scratch/page" >&2
	echo '```' >>"$scratch/page"
}

file=$model
[ ! -d "$model" ] || file=$model/models/$(cat "$model/best").safetensors
game=$("$scratch/dojo" inspect "$file" --json | field game)
case $game in
onitama) against=mcts:1000,mcts:5000,alphabeta:5 time=30ms openings=2 ;;
wallonitama) against=mcts:1000,mcts:5000,alphabeta:4 time=30ms openings=2 ;;
oanquan) against=mcts:1000,alphabeta:4,alphabeta:6 time=30ms openings=6 ;;
patchwork) against=mcts:1000,mcts:2000,alphabeta:2 time=100ms openings=2 ;;
*) against=mcts:1000,alphabeta:2 time=30ms openings= ;;
esac
if [ "${FORCE:-}" != 1 ]; then
	elo=$("$scratch/dojo" match "$file:64" box:64 --game "$game" --games "$games" --json | field elo)
	[ "${elo%.*}" -gt 0 ] || { echo "$model is not stronger than the model in the box: Elo $elo; FORCE=1 replaces it" >&2; exit 1; }
fi

printf '# %s\n\n```\n%s\n```\n' "$game" "$("$scratch/dojo" inspect "$file" | tail -n +2)" >"$scratch/page"
dojo evaluate "$file" --against "$against" --games "$games" --simulations 64
dojo match "$file@$time" "alphabeta@$time" --game "$game" --games "$games"
[ -z "$openings" ] || dojo match "$file@$time" "alphabeta@$time" --game "$game" --games "$games" --openings "$openings" --balanced 0.15
for solved in "$@"; do
	dojo evaluate "$file" --solved "$solved" --simulations 64
	dojo evaluate "$file" --solved "$solved" --time "$time"
done
if [ -d "$model" ]; then
	dojo evaluate "$model" --generations 6 --games "$games" --simulations 64
	sed -n 's/^  //p' "$model/run.yaml" >"models/$game.yaml" # what stands below config:
fi
cp "$file" "models/$game.safetensors"
sed "s#$file#box#g; s#$model#RUN#g" "$scratch/page" >"models/$game.md"
