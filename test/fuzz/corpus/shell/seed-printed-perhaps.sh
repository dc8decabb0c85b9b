f() { :; }
g() { :; }
x=
y=
z=
x=$([ -f f0 ] && echo deploy)
make $x
[ "$x" = deploy ] && make deploy
{ [ -f f1 ] && echo make test; echo make deploy; } | bash
