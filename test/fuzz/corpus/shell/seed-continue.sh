for one in a b; do
[ -f f0 ] && continue
make deploy
done
