import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { asTyped, programName } from '../../src/cli/shell.ts'

const npm = { npm_lifecycle_event: 'veridict' }
test.each([
  ['on the PATH', {}, '/usr/bin/veridict', '/home/me', 'veridict'],
  ['the launcher', {}, '/p/bin/veridict.cjs', '/p', 'node bin/veridict.cjs'],
  ['the launcher, from below', {}, '/p/bin/veridict.cjs', '/p/jobs', 'node ../bin/veridict.cjs'],
  ['far away', {}, '/p/bin/veridict.cjs', '/home/me/a/b', 'node /p/bin/veridict.cjs'],
  ['by an old Node.js', { VERIDICT_LAUNCHER: '/p/bin/veridict.cjs' }, '/p/src/cli.ts', '/p', 'node bin/veridict.cjs'],
  ['npm', npm, '/p/src/cli.ts', '/p', 'npm run --silent veridict --'],
  ['npm, from below', npm, '/p/src/cli.ts', '/p/jobs', 'npm run --silent veridict --'],
  ['npm --prefix', npm, '/p/src/cli.ts', '/home', 'npm --prefix ../p run --silent veridict --'],
  ['another npm script', { npm_lifecycle_event: 'test' }, '/p/src/cli.ts', '/p', 'node src/cli.ts'],
])('%s', (_name, env, script, typedIn, said) => {
  expect(programName({ env, script, cwd: '/p', typedIn })).toBe(said)
})

test('only commands of ours are put in its place', () => {
  const shell = { program: 'node x.cjs' }
  expect(asTyped(shell, 'veridict: see `veridict status`; is this a veridict service?')).toBe(
    'veridict: see `node x.cjs status`; is this a veridict service?',
  )
})

test('every command is put in its place', () => {
  const text = Object.keys(COMMANDS)
    .map((name) => `veridict ${name} x`)
    .join('\n')
  expect(asTyped({ program: 'node x.cjs' }, text)).not.toContain('veridict')
})
