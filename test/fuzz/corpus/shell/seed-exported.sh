x=deploy
bash -c 'make $x'
