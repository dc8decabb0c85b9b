import { existsSync, readFileSync } from 'node:fs'
import { loadConfig } from '../../config/config.ts'
import { CliError } from './cli-error.ts'

/** Loads the configuration of an environment. Throws `CliError` for a missing file. */
export function configurationOf(env: NodeJS.ProcessEnv): ReturnType<typeof loadConfig> {
  const file = env['VERIDICT_CONFIG']
  if (file && !existsSync(file)) throw new CliError(`VERIDICT_CONFIG: there is no file ${file}`)
  return loadConfig(env, (path) => readFileSync(path, 'utf8'))
}
