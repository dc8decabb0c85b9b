h() { return 1; }
h && make deploy
