import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readShell } from '../../../src/domain/shell/read-shell.ts'
import { NO_INSTRUCTION as CONTEXT } from '../../domain/shell/no-instruction.ts'
import { shellScripts } from '../laws/shell-scripts.ts'
import { hold, type Target } from '../target.ts'

/** What is done must be done whatever files there are; what is only told of, or not there, never. */
export const SHELL: Target<string> = {
  name: 'shell',
  law: 'what a script is said to do Bash does, whichever of three files are there, and what it is said not to do Bash never does',
  corpus: 'shell',
  extension: 'sh',
  decode: (bytes) => bytes.toString('utf8'),
  encode: (input) => Buffer.from(input),
  near: () => shellScripts,
  check,
}

const ACT = 'deploy'
const WORLDS = [0, 1, 2, 3, 4, 5, 6, 7] as const
const MOST_MS = 1_000

function check(script: string): void {
  const use = readShell(script, 'shell', CONTEXT).useOf(`make ${ACT}`)
  if (use === 'maybe' || !hasBash()) return
  let done = 0
  for (const world of WORLDS) {
    const isOne = isDone(script, world)
    if (isOne === null) return
    if (isOne) done++
  }
  const due = use === 'whole' || use === 'sure' ? WORLDS.length : 0
  hold(done === due, `it is said to be ${use}, and Bash does it in ${done} of ${WORLDS.length} worlds`)
}

let bash: boolean | undefined
function hasBash(): boolean {
  if (bash === undefined) {
    bash = spawnSync('timeout', ['5', 'bash', '-c', 'exit 0']).status === 0
    if (!bash) console.warn('shell: no Bash and timeout(1) here to compare with: no script is checked')
  }
  return bash
}

/** Runs it where there are the files of a world; null: it is no script, or does not end. */
function isDone(script: string, world: number): boolean | null {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-shell-'))
  try {
    for (const file of [0, 1, 2])
      if ((world & (1 << file)) !== 0) writeFileSync(join(folder, `f${file}`), 'a\ndeploy\n')
    writeFileSync(join(folder, 'in'), (world & 2) === 0 ? 'test\n' : 'deploy\ntest\n')
    writeFileSync(join(folder, 'env'), (world & 1) === 0 ? 'z=1\n' : 'x=deploy\ny=\n')
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'make'), '#!/bin/sh\nprintf "<%s>" "$@" >> "$LOG"\n', { mode: 0o755 })
    const log = join(folder, 'log')
    // With a group of its own, so that what it leaves behind ends with it; functions that call themselves end soon.
    const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, LOG: log, FUNCNEST: '6' }
    const args = ['-s', 'KILL', String(MOST_MS / 1000), 'bash', '--norc', '-c', script, '_', 'a', 'deploy']
    const { status, stderr } = spawnSync('timeout', args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 2 * MOST_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status === null || status === 137 || stderr.includes('syntax error')) return null
    return existsSync(log) && readFileSync(log, 'utf8').includes(`<${ACT}>`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
