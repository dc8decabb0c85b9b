import { readFileSync } from 'node:fs'
import type { BlobSettings } from '../config/blob-settings.ts'
import { loadConfig } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { BlobError, type BlobStore } from '../ports/blob-ports.ts'
import type { ProjectBlobs } from '../ports/upkeep-ports.ts'
import { createLazyS3 } from './s3-client.ts'
import { NOT_KEPT, toBlobError } from './s3-error.ts'
import { createS3Requests, type S3Requests } from './s3-requests.ts'

/**
 * The large data of all projects: each has a folder of its own, which the names of another cannot reach. Makes no request: a
 * start costs neither a connection nor the client.
 */
export function openBlobs(settings: BlobSettings | null, secrets: Secrets): ProjectBlobs {
  if (settings === null) return NONE
  const s3 = createLazyS3(settings, secrets)
  const requests = createS3Requests(settings, s3)
  return { of: (project) => openFolder(settings, requests, project), close: () => s3.close() }
}

const NONE: ProjectBlobs = { of: () => null, close: () => undefined }

/** The same where the environment says that it lies; where it says nothing, no other configuration is looked at. */
export function openConfiguredBlobs(env: NodeJS.ProcessEnv): ProjectBlobs {
  if (env['VERIDICT_BLOBS'] === undefined || env['VERIDICT_BLOBS'] === '') return NONE
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  return openBlobs(config.blobs, secrets)
}

const PROJECT = /^[a-z0-9][a-z0-9_-]{0,99}$/
/** Digests and ids, in folders; nothing that a server, a proxy or a file system could take for another place. */
const NAME = /^[a-z]{1,20}\/[0-9a-f]{2}\/[A-Za-z0-9_-]{1,200}$/

/** An answer about the whole store is good for so long: several may ask every few seconds. */
const CHECK_FOR_MS = 10_000
const CHECK = Buffer.from('Veridict\n')

function openFolder(settings: BlobSettings, requests: S3Requests, project: string): BlobStore {
  const { prefix, shown, min_bytes } = settings
  if (!PROJECT.test(project)) throw new BlobError('refused', 'this is no name of a project')
  const folder = prefix === '' ? project : `${prefix}/${project}`
  const keyOf = (name: string): string => {
    if (!NAME.test(name)) throw new BlobError('refused', 'this is no name of stored data')
    return `${folder}/${name}`
  }
  let proven = false
  let checked: { until: number; readonly answer: Promise<void> } | undefined
  return {
    place: shown,
    least_bytes: min_bytes,
    async put(name, bytes) {
      const key = keyOf(name)
      await requests.put(key, bytes)
      if (proven) return
      // The first of a process is read again: whatever answers there, from now on it is known to keep what it is given.
      const kept = await requests.get(key, bytes.byteLength)
      if (kept === null || Buffer.compare(kept, bytes) !== 0)
        throw toBlobError({ name: NOT_KEPT, status: null }, `storing ${key}`, shown)
      proven = true
    },
    get: async (name, most) => requests.get(keyOf(name), most),
    check() {
      // One that takes long is waited for by all who ask.
      if (checked === undefined || checked.until < performance.now()) {
        const now = { until: Number.POSITIVE_INFINITY, answer: requests.put(`${folder}/check`, CHECK) }
        checked = now
        const settle = () => {
          now.until = performance.now() + CHECK_FOR_MS
        }
        now.answer.then(settle, settle)
      }
      return checked.answer
    },
  }
}
