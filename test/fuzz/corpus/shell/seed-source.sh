x=deploy
. ./env
make $x
