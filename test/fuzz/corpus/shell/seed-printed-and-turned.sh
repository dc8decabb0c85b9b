f() { :; }
g() { :; }
x=
y=
z=
make "$(echo deploy | sed s/e/x/)"
echo make deploy | sed s/^/#/ | bash
cat in | xargs make
