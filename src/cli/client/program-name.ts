import { basename, relative, resolve } from 'node:path'

/** The commands, as hints name them. */
const HINTED =
  /\bveridict (?=(?:serve|demo|grade|batch|status|results|show|resume|cancel|regrade|compare|report|import|judges|rubrics?|doctor|backup|keys|validate|audit-markers|worker|export)\b)/g

interface Started {
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
  if (typed === undefined) return 'veridict'
  if (basename(typed) === 'veridict') return env['npm_command'] === 'exec' ? 'npx veridict' : 'veridict'
  const path = relative(typedIn, typed)
  return `node ${path.startsWith('../../..') ? typed : path}`
}

/**
 * The folder of the person who typed, and the environment as it is meant from there. npm starts scripts in the project’s folder: typed
 * paths are those of the person, what the environment says stays as it was.
 */
export function typedFrom(env: NodeJS.ProcessEnv, cwd: string): { env: NodeJS.ProcessEnv; typedIn: string } {
  const typedIn = isNpmRun(env) ? env['INIT_CWD'] : undefined
  if (typedIn === undefined || typedIn === cwd) return { env, typedIn: cwd }
  const { VERIDICT_DATABASE: database, VERIDICT_CONFIG: config, VERIDICT_RUBRICS: rubrics } = env
  return {
    typedIn,
    env: {
      ...env,
      VERIDICT_DATABASE: resolve(cwd, database || 'data/veridict.sqlite'),
      ...(config && { VERIDICT_CONFIG: resolve(cwd, config) }),
      ...(rubrics && {
        VERIDICT_RUBRICS: rubrics
          .split(',')
          .map((one) => resolve(cwd, one.trim()))
          .join(','),
      }),
    },
  }
}

const isNpmRun = (env: NodeJS.ProcessEnv): boolean => env['npm_lifecycle_event'] === 'veridict'

/** A hint with commands as they can be typed here. */
export const asTyped = ({ program = 'veridict' }: { readonly program?: string }, text: string): string =>
  program === 'veridict' ? text : text.replaceAll(HINTED, () => `${program} `)
