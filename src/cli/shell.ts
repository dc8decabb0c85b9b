import { basename, relative } from 'node:path'
import type { Writable } from 'node:stream'
import type { TrialItem } from '../archives/trials/reading-job.ts'
import type { LocalVeridict } from '../client/veridict.ts'

/**
 * The use of a database by a command: `make` creates a missing database, `read` needs an existing database, `look` takes a database of this
 * version and else does without, `none` needs none.
 */
export type DatabaseUse = 'make' | 'read' | 'look' | 'none'

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** Signals that ask a command to stop: Ctrl-C, a supervisor, a closing terminal. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface Shell {
  readonly env: NodeJS.ProcessEnv
  readonly args: readonly string[]
  /** The words that start this program, where they are not `veridict`. */
  readonly program?: string
  readonly out: Screen
  readonly err: Screen
  /** The source of signals: the process, or a test. */
  readonly signals: Record<'on' | 'off', (signal: StopSignal, listener: () => void) => unknown>
  /** Stands in for `openLocal` and for the reading of paths, in tests and measurements. */
  readonly openLocal?: (env: NodeJS.ProcessEnv, use: DatabaseUse, estimates?: boolean) => Promise<LocalVeridict>
  readonly readTrials?: (warn: (text: string) => void) => AsyncIterable<TrialItem>
  setExitCode(code: number): void
  exit(code: number): void
}

const HINTED =
  /\bveridict (?=(?:serve|demo|grade|batch|status|results|findings|dispose|signoff|show|resume|cancel|regrade|compare|report|import|judges|rubrics?|doctor|backup|keys|validate|canary|audit-markers|worker|export)\b)/g

/** Replaces `veridict` inside a hint by the words that start this program. */
export const asTyped = ({ program = 'veridict' }: { readonly program?: string }, text: string): string =>
  program === 'veridict' ? text : text.replaceAll(HINTED, () => `${program} `)

/** Writes a text as one word of a command line for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const isNpmRun = (env: NodeJS.ProcessEnv): boolean => env['npm_lifecycle_event'] === 'veridict'

type Start = Pick<Shell, 'env'> & Record<'cwd' | 'typedIn', string> & { readonly script: string | undefined }

/** Returns the words that start this program again, for the folder `typedIn` of the user: `veridict` alone is on the PATH of few users. */
export function programName({ env, script, cwd, typedIn }: Start): string {
  if (isNpmRun(env)) {
    // npm finds the project from folders below it.
    const inside = typedIn === cwd || typedIn.startsWith(`${cwd}/`)
    return `npm ${inside ? '' : `--prefix ${shellWord(relative(typedIn, cwd))} `}run --silent veridict --`
  }
  // On an old Node.js, the typed launcher starts a newer Node.js.
  const typed = env['VERIDICT_LAUNCHER'] || script
  if (typed === undefined) return 'veridict'
  if (basename(typed) === 'veridict') return env['npm_command'] === 'exec' ? 'npx veridict' : 'veridict'
  const path = relative(typedIn, typed)
  return `node ${shellWord(path.startsWith('../../..') ? typed : path)}`
}

/** Returns the folder of the user: npm starts scripts in the folder of the project. */
export const typedIn = (env: NodeJS.ProcessEnv, cwd: string): string => (isNpmRun(env) && env['INIT_CWD']) || cwd
