import { readFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import type { ProjectBlobs } from '../ports/upkeep-ports.ts'
import { openBlobs } from './open-blobs.ts'

const NONE: ProjectBlobs = { of: () => null, close: () => undefined }

/** Where the environment says that large data lies; where it says nothing, no other configuration is looked at. */
export function openConfiguredBlobs(env: NodeJS.ProcessEnv): ProjectBlobs {
  if (env['VERIDICT_BLOBS'] === undefined || env['VERIDICT_BLOBS'] === '') return NONE
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  return openBlobs(config.blobs, secrets)
}
