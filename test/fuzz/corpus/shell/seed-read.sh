read x < in
make $x
