import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Mutant } from './mutant.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COPIED = [
  'src',
  'test/attack',
  'rubrics',
  'migrations',
  'package.json',
  'tools/command-line.ts',
  'test/tab-behavior.ts',
] as const
const run = promisify(execFile)
/** Mutants that run side by side. */
export const AT_ONCE = 2

/** What a part of the suite says without its table: written by `run.ts --json`. */
export interface Summary {
  readonly graded: number
  /** Attacks outside of the known limits that got a wrong label: `name (judge)`. */
  readonly wrong: readonly string[]
  readonly crashed: readonly string[]
}

/** So many cases of each class are enough for most mutants: one in this many. */
const EVERY = 8

/** Runs the mutant’s cases against a patched copy of the source, in a process of its own. Throws where a patch does not fit. */
export async function runMutant(mutant: Omit<Mutant, 'rule'>): Promise<Summary> {
  const { name, patches, classes, every, cases, refuse } = mutant
  const folder = mkdtempSync(join(tmpdir(), 'veridict-mutant-'))
  try {
    for (const one of COPIED) cpSync(join(ROOT, one), join(folder, one), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
    for (const { file, find, put } of patches) patch(name, join(folder, file), find, put)
    if (cases !== undefined)
      return await runPart(folder, ['--kinds', '--cases', cases.join(','), ...(refuse === true ? ['--refuse'] : [])])
    return await runPart(folder, ['--classes', (classes ?? []).join(','), '--every', String(every ?? EVERY)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runPart(folder: string, part: readonly string[]): Promise<Summary> {
  const { stdout } = await run(process.execPath, [join(folder, 'test/attack/run.ts'), '--json', ...part], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    timeout: 1_800_000,
  })
  return JSON.parse(stdout) as Summary
}

function patch(name: string, file: string, find: string, put: string): void {
  const text = readFileSync(file, 'utf8')
  const pieces = text.split(find)
  if (pieces.length !== 2) throw new Error(`${name}: the patch fits ${pieces.length - 1} places of ${file}, not one`)
  writeFileSync(file, pieces.join(put))
}

export interface Caught {
  readonly mutant: Mutant
  readonly summary: Summary
}

/** All mutants, a few at a time, in their order; `onEnd` hears of each as it ends, with how many have. */
export async function runMutants(
  mutants: readonly Mutant[],
  onEnd: (one: Caught, ended: number) => void,
  atOnce = AT_ONCE,
): Promise<Caught[]> {
  const caught: Caught[] = []
  let ended = 0
  const queue = mutants.map((mutant, index) => ({ mutant, index }))
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const one = { mutant: next.mutant, summary: await runMutant(next.mutant) }
      caught[next.index] = one
      onEnd(one, ++ended)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return caught
}

/** What became of a mutant, in a few words. */
export const fateOf = ({ wrong, graded }: Summary): string =>
  wrong.length === 0 ? 'SURVIVED' : `caught by ${wrong.length} of ${graded}`

/** The table of the mutants; `false` where one was caught by nothing. */
export function printMutants(caught: readonly Caught[], print: (line: string) => void): boolean {
  for (const { mutant, summary } of caught) {
    print(`${mutant.name.padEnd(24)} ${fateOf(summary).padEnd(26)} rule ${mutant.rule}`)
    for (const name of spread(summary.wrong)) print(`    ${name}`)
  }
  const survived = caught.filter(({ summary }) => summary.wrong.length === 0).length
  print(`\n${caught.length} mutants, ${caught.length - survived} caught, ${survived} survived`)
  return survived === 0
}

const spread = (names: readonly string[]): string[] =>
  [names[0], names[Math.floor(names.length / 2)]].filter(
    (name, at, all): name is string => name !== undefined && all.indexOf(name) === at,
  )
