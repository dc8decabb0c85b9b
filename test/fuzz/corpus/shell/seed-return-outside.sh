f() { :; }
g() { :; }
x=
y=
z=
if [ -f f0 ]; then x=1; elif return 0; then make test; else make deploy; fi
