n=
while read one; do
[ -n "$n" ] && make deploy
n=1
done < in
