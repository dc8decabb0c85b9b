import { basename, relative, resolve } from 'node:path'

/** Commands inside hints. */
const HINTED =
  /\bveridict (?=(?:serve|demo|grade|batch|status|results|show|resume|cancel|regrade|compare|report|import|judges|rubrics?|doctor|backup|keys|validate|audit-markers|worker|export)\b)/g

interface Started {
  readonly env: NodeJS.ProcessEnv
  /** The absolute path of the script of Node.js. */
  readonly script: string | undefined
  /** The folder of the process, and the folder of the user. */
  readonly cwd: string
  readonly typedIn: string
}

/** Returns the words that start this program again: `veridict` alone is on the PATH of few users. */
export function programName({ env, script, cwd, typedIn }: Started): string {
  if (isNpmRun(env)) {
    // npm finds the project from folders below it.
    const inside = typedIn === cwd || typedIn.startsWith(`${cwd}/`)
    return `npm ${inside ? '' : `--prefix ${relative(typedIn, cwd)} `}run --silent veridict --`
  }
  // On an old Node.js, the typed launcher starts a newer Node.js.
  const typed = env['VERIDICT_LAUNCHER'] || script
  if (typed === undefined) return 'veridict'
  if (basename(typed) === 'veridict') return env['npm_command'] === 'exec' ? 'npx veridict' : 'veridict'
  const path = relative(typedIn, typed)
  return `node ${path.startsWith('../../..') ? typed : path}`
}

/**
 * Returns the folder of the user, and an environment whose paths hold there. npm starts scripts in the folder of the project: typed paths
 * are relative to the folder of the user, paths of the environment to the folder of the project.
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
          .map((path) => resolve(cwd, path.trim()))
          .join(','),
      }),
    },
  }
}

const isNpmRun = (env: NodeJS.ProcessEnv): boolean => env['npm_lifecycle_event'] === 'veridict'

/** Replaces `veridict` inside a hint by the words that start this program. */
export const asTyped = ({ program = 'veridict' }: { readonly program?: string }, text: string): string =>
  program === 'veridict' ? text : text.replaceAll(HINTED, () => `${program} `)
