go=
(go=1)
if [ -n "$go" ]; then make deploy; fi
