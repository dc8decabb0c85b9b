import { basename, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { TrialItem } from '../archives/trials/reading-job.ts'
import { ServiceError, UnreachableError } from '../client/errors.ts'
import type { LocalVeridict } from '../client/veridict.ts'
import { StorageError } from '../db/errors.ts'
import { RubricError } from '../domain/rubric/load/rubric-error.ts'
import { fileFault } from '../domain/words.ts'
import type { BatchCounts } from '../schemas/batch.ts'
import type { DatabaseUse } from './options.ts'
import { inert, line, oneLine, present } from './output/text.ts'

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

export interface Shell {
  readonly env: NodeJS.ProcessEnv
  readonly args: readonly string[]
  /** The words that start this program, where they are not `veridict`. */
  readonly program?: string
  readonly out: Screen
  readonly err: Screen
  /** The source of signals: the process, or a test. */
  readonly signals: Record<'on' | 'off', (signal: NodeJS.Signals, listener: () => void) => unknown>
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
type Typed = Pick<Shell, 'env'> & Record<'cwd' | 'typedIn', string> & { readonly script: string | undefined }

/** Returns the words that start this program again, for the folder `typedIn` of the user: `veridict` alone is on the PATH of few users. */
export function programName({ env, script, cwd, typedIn }: Typed): string {
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

/** Exit codes of commands; those of a grade bear the name of its status. The higher of two codes wins. */
export const EXIT = { graded: 0, refused: 1, unverified: 2, failed: 3, parked: 4, interrupted: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export function exitOfCounts({ failed, cancelled, unverified }: Omit<BatchCounts, 'total'>): ExitCode {
  if (failed + cancelled > 0) return EXIT.failed
  return unverified > 0 ? EXIT.unverified : EXIT.graded
}

export const strictCode = (code: ExitCode, { strict }: { readonly strict?: boolean }, lost: number): ExitCode =>
  strict && lost > 0 && code < EXIT.failed ? EXIT.failed : code

/** Reports a failure to the user: the message, the advice, and the exit code of the command. `code` names the failure for programs. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly advice: readonly string[]
  readonly exit: ExitCode
  readonly code: string

  constructor(message: string, advice: readonly string[] = [], exit: ExitCode = EXIT.refused, code?: string) {
    super(message)
    this.advice = advice
    this.exit = exit
    this.code = code ?? (exit === EXIT.interrupted ? 'interrupted' : 'refused')
  }
}

/** Makes the refusal of a file that the system cannot write; other errors stay as they are. The advice is for a disk with room. */
export const unwritable = (path: string, error: unknown, advice = ''): unknown =>
  error instanceof Error && 'syscall' in error
    ? new CliError(`${path} cannot be written: ${fileFault(error)}`, [isDiskFull(error) ? MAKE_ROOM : advice])
    : error

const isDiskFull = (error: Error): boolean => /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')
const MAKE_ROOM = 'Make room on that disk, or name a place on another disk.'

/** Prints an error with its advice, on stderr, or with `json` on stdout as `{ok: false, error}`, and sets its exit code. */
export function printError(shell: Shell, error: unknown, { json = false }: { readonly json?: boolean } = {}): void {
  const { message, advice, exit, code } = explain(error)
  const isFull = error instanceof StorageError && message.startsWith('the disk of the database')
  const full = isFull ? [databaseAdvice(shell.env, error)] : []
  const texts = [message, ...full, ...advice].map((text) => inert(asTyped(shell, text)))
  if (json) shell.out.write(errorLine(code, texts, exit))
  else shell.err.write(`${styleText('red', 'veridict:', { stream: process.stderr })} ${texts.join('\n  ')}\n`)
  shell.setExitCode(exit)
}

export const errorLine = (code: string, [message = '', ...advice]: readonly string[], exit_code: ExitCode): string =>
  line({ ok: false, error: { code, message, advice, exit_code } })

const OTHER_PROGRAM = ['--server takes the address in the log of `veridict serve`, like http://127.0.0.1:8787']
const NO_RUBRIC = '`veridict rubrics` lists what there is.'
const ADVICE: Readonly<Record<string, readonly string[]>> = {
  not_found: [
    '`veridict status` lists the batches of a service; without --server, of VERIDICT_DATABASE. `veridict findings BATCH` lists classes.',
  ],
  'not_found grade': ['`veridict results BATCH` lists the grades of a batch, `veridict status` the batches.'],
  unknown_judge: ['`veridict judges` lists what there is; the configuration file VERIDICT_CONFIG names more.'],
  unknown_rubric: [NO_RUBRIC],
  'not_found rubric': [NO_RUBRIC],
  unauthorized: ['VERIDICT_API_KEY holds the key; the operator makes a key: `veridict keys create NAME`.'],
  forbidden: ['The key lacks the scope; `veridict keys create NAME --scopes …` makes a key that has the scope.'],
  wrong_host: ['Use a host name that the service knows, or add the name to VERIDICT_ALLOWED_HOSTS of the service.'],
  storage_full: ['Make room on that disk, then give the same command again: what was stored is kept.'],
  storage_busy: ['Where a service runs on this database, use that service: --server http://127.0.0.1:8787'],
  batch_not_ended: ['Follow the batch to its end first: `veridict status BATCH --follow`.'],
  not_regraded: ['To grade again: `veridict regrade --batch BATCH -c refresh`, or `-j NAME` for another judge.'],
  draining: ['The service is stopping: the same command works once it is up again.'],
  unreachable: [
    'Is it running? `veridict serve` starts a service; --server and VERIDICT_SERVER name its address.',
    'The same command can be given again once it is up: grades are kept, and cost nothing again.',
  ],
  'the head is no re-grade': ['A re-grade names its base itself; of two other batches: veridict compare BASE HEAD'],
  'the ground truth is not what': [
    'Another question has its own ground truths (docs/rubrics.md): veridict batch PATH -g FILE -r RUBRIC',
  ],
  'there is no such path': OTHER_PROGRAM,
}

function adviceFor({ code, detail }: ServiceError): readonly string[] {
  const [, kind = '', id = ''] = /^there is no such (batch|grade|rubric)(?:: ((?:bat|grd)_\w+))?/.exec(detail) ?? []
  if (kind === 'batch' && id.startsWith('grd_')) return [`${id} is a grade: veridict show ${id}`]
  if (kind === 'grade' && id.startsWith('bat_')) return [`${id} is a batch: veridict results ${id}`]
  const begin = Object.keys(ADVICE).find((key) => key.includes(' ') && detail.startsWith(key)) ?? ''
  return ADVICE[begin] ?? ADVICE[`${code} ${kind}`] ?? ADVICE[code] ?? []
}

/** Explains an error to the user, who typed options and sent no HTTP request. */
export function explain(error: unknown): CliError {
  const refused = (message: string, advice: readonly string[] = [], code?: string): CliError =>
    new CliError(oneLine(message), advice, EXIT.refused, code)
  if (error instanceof CliError) return error
  if (error instanceof UnreachableError || error instanceof StorageError)
    return refused(error.message, ADVICE[error.code], error.code)
  if (error instanceof RubricError) return refused(error.message.split('\n')[0] ?? '', error.faults)
  if (!(error instanceof Error)) return refused('unknown error')
  if (isDiskFull(error)) return explain(unwritable((error as NodeJS.ErrnoException).path ?? 'a file', error))
  if (!(error instanceof ServiceError)) return refused(error.message)
  const { code, errors, status } = error
  const detail = withOptions(error.detail)
  if (status === 200) return refused(detail, OTHER_PROGRAM, code)
  const places = errors.flatMap(({ path, message }) => {
    const place = placeText(path)
    const text = withOptions(message)
    const isSaid = [`${place} ${text}`, place === '' || place.startsWith('--') ? text : ''].includes(detail)
    return isSaid ? [] : present([place, oneLine(text)]).join('  ')
  })
  // Several items may repeat one refusal.
  return refused(detail, [...new Set(places), ...adviceFor(error)], code)
}

/** Members of a request that no option of a command has. */
const NO_OPTIONS: readonly string[] = ['trajectory', 'ground_truth', 'metadata', 'items', 'query']

/** Maps the place of a refused parameter to the typed option; empty for an option that holds for all items, and for the whole selection. */
function placeText(path: string): string {
  if (/^\/(?:items\/\d+\/(?:judge|rubric|mode|max_cost_usd)|query)$/.test(path)) return ''
  const [, where, name = ''] = /^\/(?:(query|querystring)\/)?([a-z_]{1,40})$/.exec(path) ?? []
  if (name === '' || (where === undefined && NO_OPTIONS.includes(name))) return oneLine(path)
  const isOfOld = where === 'query' && (name === 'judge' || name === 'rubric')
  return `--${name.replaceAll('_', '-')}${isOfOld ? '-was' : ''}`
}

/** Members of a request that messages name, and that options of the same names give. */
const MEMBERS = /`(judge|rubric|samples|cache|mode|max_cost_usd|recheck|group_by|pair_by|base|head)`/g
const withOptions = (text: string): string =>
  text.replaceAll(MEMBERS, (_all, name: string) => `--${name.replaceAll('_', '-')}`)

type Start = Pick<Shell, 'env' | 'program'> & { readonly port?: 'VERIDICT_PORT' | 'VERIDICT_WORKER_PORT' }

export function startFailureText(error: unknown, { port = 'VERIDICT_PORT', ...start }: Start): string {
  const { message, advice } = explain(error)
  // Node.js names the call that failed for an address to listen on.
  const isAddress = ['listen', 'getaddrinfo'].includes((Object(error) as NodeJS.ErrnoException).syscall ?? '')
  const address = `Set another ${port} or VERIDICT_HOST (127.0.0.1: this machine alone), or stop what listens there.`
  const own = isAddress ? [address] : error instanceof StorageError ? [databaseAdvice(start.env, error)] : advice
  const texts = [message, ...(own.length > 0 ? own : [SETTINGS])].map((text) => inert(asTyped(start, text)))
  return `veridict: cannot start: ${texts.join('\n  ')}\n`
}

const SETTINGS = 'docs/configuration.md lists every variable, and every key of the file.'

function databaseAdvice(env: NodeJS.ProcessEnv, { code }: StorageError): string {
  const database = env['VERIDICT_DATABASE'] || './data/veridict.sqlite'
  // The URL may hold a password.
  if (!env['VERIDICT_DATABASE_URL'])
    return `The database is ${database} (VERIDICT_DATABASE); \`veridict doctor\` examines it (docs/operations.md).`
  if (code !== 'storage_busy') return 'docs/postgres.md says what it needs.'
  return 'Its address is in VERIDICT_DATABASE_URL: does the server run there? (docs/postgres.md)'
}

export const extraArgumentText = (argument: string): string =>
  `veridict: unexpected argument ${inert(JSON.stringify(argument))}: settings are variables, such as VERIDICT_PORT (docs/configuration.md)\n`
