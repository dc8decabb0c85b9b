import { basename, relative } from 'node:path'

/** The commands, as hints name them. */
const HINTED =
  /\bveridict (?=(?:serve|grade|batch|status|results|show|resume|cancel|regrade|compare|import|judges|rubrics)\b)/g

export interface Started {
  readonly env: NodeJS.ProcessEnv
  /** What Node.js was told to run, absolute. */
  readonly script: string | undefined
  /** The folder of the process, and that of the person who typed. */
  readonly cwd: string
  readonly typedIn: string
}

/** How this process was started, to be typed again: `veridict` alone is on the PATH of few. */
export function programName({ env, script, cwd, typedIn }: Started): string {
  if (isNpmRun(env)) {
    // npm finds the project from folders below it by itself.
    const inside = typedIn === cwd || typedIn.startsWith(`${cwd}/`)
    return `npm ${inside ? '' : `--prefix ${relative(typedIn, cwd)} `}run --silent veridict --`
  }
  // On an old Node.js the launcher starts a newer one, and is what was typed.
  const typed = env['VERIDICT_LAUNCHER'] || script
  if (typed === undefined || basename(typed) === 'veridict') return 'veridict'
  const path = relative(typedIn, typed)
  return `node ${path.startsWith('../../..') ? typed : path}`
}

export const isNpmRun = (env: NodeJS.ProcessEnv): boolean => env['npm_lifecycle_event'] === 'veridict'

/** A hint with commands as they can be typed here. */
export const asTyped = ({ program = 'veridict' }: { readonly program?: string }, text: string): string =>
  program === 'veridict' ? text : text.replaceAll(HINTED, () => `${program} `)
