if exit 0; then make deploy; fi
make deploy > f3