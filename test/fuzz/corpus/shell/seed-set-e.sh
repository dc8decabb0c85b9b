set -e
[ -f f0 ]
make deploy
