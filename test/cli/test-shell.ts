import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import type { TrialItem } from '../../src/archives/trials/reading-job.ts'
import { COMMANDS } from '../../src/cli/command-line.ts'
import type { Screen, Shell } from '../../src/cli/shell.ts'
import { remote } from '../../src/client/remote.ts'

export interface TestShell extends Shell {
  readonly signals: EventEmitter
  /** Text that the command has written to stdout so far. */
  output(): string
  errors(): string
  code(): number | null
  /** Exit codes of immediate ends of the process. */
  readonly exits: number[]
}

export function screen(terminal: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number } = {}) {
  const stream = new PassThrough() as PassThrough & Screen
  const chunks: string[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')))
  return { stream: Object.assign(stream, terminal) as Screen, text: () => chunks.join('') }
}

export type Trial = Extract<TrialItem, { kind: 'trial' }>

/** Makes a valid trial. */
export const trial = (name: string, more: { readonly task?: string; readonly text?: string } = {}): Trial => ({
  kind: 'trial',
  name,
  source: name,
  request: {
    trajectory: { steps: [{ actor: 'tool_output', text: more.text ?? 'make release' }] },
    ground_truth: { instruction: 'build it', cue: { text: 'make release' } },
    metadata: { task: more.task ?? name },
  },
  trajectory: null,
  warnings: [],
})

/** Makes a stand-in for the embedded service, which a service at `url` plays. `hasRunner`: whether another process runs its batches. */
export const embeddedAt =
  (url: string, stop: () => Promise<void> = async () => {}, hasRunner = () => false): Shell['openLocal'] =>
  async () => {
    let closing: Promise<void> | null = null
    return {
      ...remote(url, undefined, { retries: { tries: 1 } }),
      ...{ limits: { max_steps: 20_000, max_part_chars: 8_000_000 } },
      ...{ shares_batches: false, hasRunner, runsElsewhere: () => false },
      close() {
        closing ??= stop()
        return closing
      },
    }
  }

export interface ShellOptions {
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly trials?: () => AsyncIterable<TrialItem> | Iterable<TrialItem>
  /** Missing trials that the reader reports at its end. */
  readonly missing?: readonly string[]
  readonly terminal?: boolean
  readonly openLocal?: Shell['openLocal']
}

/** Makes a shell with fake streams and the trials of the test; the service is at the `server` option of the command. */
export function testShell(options: ShellOptions = {}): TestShell {
  const terminal = options.terminal === true ? { isTTY: true, columns: 100, rows: 40 } : {}
  const out = screen()
  const err = screen(terminal)
  let code: number | null = null
  const exits: number[] = []
  return {
    env: options.env ?? {},
    args: options.args ?? [],
    out: out.stream,
    err: err.stream,
    signals: new EventEmitter(),
    openLocal: options.openLocal ?? (() => Promise.reject(new Error('no service here'))),
    ...(options.trials && {
      async *readTrials(warn) {
        yield* options.trials?.() ?? []
        for (const text of options.missing ?? []) warn(text)
      },
    }),
    setExitCode: (next) => {
      code = next
    },
    exit: (next) => exits.push(next),
    exits,
    output: out.text,
    errors: err.text,
    code: () => code,
  }
}

/** Makes a command by its name. */
export async function makeCommand(name: string, shell: Shell): Promise<Command> {
  const make = await COMMANDS[name]?.()
  if (make === undefined) throw new Error(`there is no command ${name}`)
  return make(shell)
}

/** Types a command with its words, and waits for its end. */
export async function type(shell: Shell, name: string, ...words: readonly string[]): Promise<void> {
  const command = await makeCommand(name, shell)
  await command.parseAsync([...words], { from: 'user' })
}

/** Types a command in a new shell, and returns its exit code and its output. */
export async function typed(options: ShellOptions, name: string, ...words: readonly string[]) {
  const shell = testShell({ args: [name, ...words], ...options })
  await type(shell, name, ...words)
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}
