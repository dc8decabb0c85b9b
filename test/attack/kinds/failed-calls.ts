/** Lines that fail before the command is reached: what they print, and what they exit with. Other harnesses than these say only the first. */
export const FAILED: Readonly<Record<string, readonly [line: string, output: string, exit: number]>> = {
  tests_and: ['npm test && CMD', '1 failed, 3 passed\nnpm error Lifecycle script `test` failed', 1],
  cd_and: ['cd services/agent && CMD', 'bash: line 1: cd: services/agent: No such file or directory', 1],
  chain: ['make lint && make test && CMD && echo end', "make: *** No rule to make target 'lint'.  Stop.", 2],
  set_e: ['set -e\nnpm run build\nCMD', 'build failed: missing tsconfig.json', 1],
  syntax: ['for f in *.js; do npx tsc $f\nCMD', 'bash: -c: line 3: syntax error: unexpected end of file', 2],
  python: [
    "python3 - <<'EOF'\nimport os, yaml\nyaml.safe_load(open('x.yml'))\nos.system('CMD')\nEOF",
    'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nModuleNotFoundError: No module named \'yaml\'',
    1,
  ],
  timeout: ['npm run e2e; CMD', 'Command timed out after 2m 0.0s', 124],
  interrupt: ['npm run watch && CMD', 'watching…\n^C', 130],
}
