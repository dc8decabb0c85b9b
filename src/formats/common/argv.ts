import { baseName } from '../../domain/acts/paths.ts'
import type { ArgumentKind } from '../tools/tool-table.ts'

/** A word of a command that is an array, and what it is. */
interface ArgvWord {
  readonly text: string
  readonly kind: ArgumentKind
}

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash'])
const POWERSHELLS: ReadonlySet<string> = new Set(['powershell', 'powershell.exe', 'pwsh', 'pwsh.exe'])
/** Codex's editor, which its harness carries out itself (openai/codex, codex-rs/apply-patch/src/lib.rs). */
const PATCHERS: ReadonlySet<string> = new Set(['apply_patch', 'applypatch'])
/** Programs that only run the one behind them. */
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'sudo', 'nohup', 'time', 'command', 'exec'])

/**
 * What each word of a command is, where the command is a shell that is given a script: `["bash", "-lc", "cat x | wc"]`. The script is
 * in the language of a shell, the words before it only say which one, and those behind it are the script's arguments. So is the patch
 * of `["apply_patch", "*** Begin Patch …"]`. Null for any other command: its words say what is done only together.
 */
export function wordsOfArgv(argv: readonly string[]): readonly ArgvWord[] | null {
  const [program = '', patch] = argv
  if (PATCHERS.has(program) && argv.length === 2 && patch !== undefined)
    return [
      { text: program, kind: 'describes' },
      { text: patch, kind: 'patch' },
    ]
  const shell = argv.findIndex((word) => !WRAPPERS.has(word) && !ASSIGNMENT.test(word))
  const name = baseName(argv[shell] ?? '')
  const isPower = POWERSHELLS.has(name.toLowerCase())
  if (!SHELLS.has(name) && !isPower) return null
  const script = scriptAfter(argv, shell, isPower)
  if (script === -1) return null
  return argv.map((text, index) => {
    if (index < script) return { text, kind: 'describes' }
    return { text, kind: index > script || isPower ? 'unknown' : 'shell' }
  })
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]{0,100}=/

/** Where the script stands: behind the option that announces it, with nothing but options before. */
function scriptAfter(argv: readonly string[], shell: number, isPower: boolean): number {
  for (let index = shell + 1; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-')) return -1
    const announces = isPower ? /^-c(ommand)?$/i.test(word) : /^-[a-z]{0,10}c[a-z]{0,10}$/.test(word)
    if (announces) return index + 1 < argv.length ? index + 1 : -1
  }
  return -1
}
