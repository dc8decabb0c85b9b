f() { :; }
g() { :; }
x=
y=
z=
set -e && true
make test
if [ $? -ne 0 ]; then exit 1; fi
[ -f f0 ] && set +e
if [ -f f1 ]; then false; fi && make deploy
