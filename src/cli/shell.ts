import type { Writable } from 'node:stream'
import type { TrialItem } from '../archives/trials/reading-job.ts'
import type { ReadLimits } from '../archives/unpack/limits.ts'
import type { LocalVeridict } from '../library/veridict.ts'

/**
 * The use of a database by a command: `make` creates a missing database, `read` needs an existing database, `none` needs none. A dry run
 * (`look`, `look_any`) never migrates a database: `look` needs a database of this version, `look_any` does without.
 */
export type DatabaseUse = 'make' | 'read' | 'look' | 'look_any' | 'none'

export interface TrialSourceOptions {
  /** The file of ground truths. */
  readonly ground_truth?: string
  /** Places of signals in a trial, as typed. */
  readonly signals: readonly string[]
  readonly variant?: string
  /** The rubric of the trials. */
  readonly rubric?: string
  readonly abort: AbortSignal
  /** The limits of a trajectory. */
  readonly limits?: ReadLimits
  /** Receives, at the end, the places of signals at which most trials had nothing. */
  readonly onMissing?: (text: string) => void
}

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** Signals that ask a command to stop: Ctrl-C, a supervisor, a closing terminal. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The surroundings of a command. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv
  /** The words after `veridict`. */
  readonly args: readonly string[]
  /** The words that start this program, where they are not `veridict`. */
  readonly program?: string
  readonly out: Screen
  readonly err: Screen
  /** The source of signals: the process, or a test. */
  readonly signals: Record<'on' | 'off', (signal: StopSignal, listener: () => void) => unknown>
  /** Opens Veridict in this process. Batches of earlier processes rest until a command resumes them. */
  readonly openLocal: (env: NodeJS.ProcessEnv, use: DatabaseUse) => Promise<LocalVeridict>
  /** Reads trials, one at a time. Throws `CliError` for unusable paths or options. */
  readonly readTrials: (paths: readonly string[], options: TrialSourceOptions) => AsyncIterable<TrialItem>
  /** Throws `CliError` for a missing path. */
  readonly checkPaths?: (paths: readonly string[]) => Promise<void>
  /** Sets the exit code of the process. */
  setExitCode(code: number): void
  exit(code: number): void
}

/** Renders the typed command again, quoted for a POSIX shell. */
export const commandLine = (shell: Shell): string => [shell.program ?? 'veridict', ...shell.args.map(quote)].join(' ')

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,'

/** Quotes a word for a POSIX shell. */
export function quote(arg: string): string {
  if (arg !== '' && [...arg].every((c) => PLAIN.includes(c))) return arg
  return `'${arg.replaceAll("'", `'\\''`)}'`
}
