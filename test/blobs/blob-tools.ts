import { onTestFinished } from 'vitest'
import { openBlobs } from '../../src/blobs/open-blobs.ts'
import { type BlobEnvironment, type BlobFile, resolveBlobs } from '../../src/config/blob-settings.ts'
import { readSecrets } from '../../src/config/secrets.ts'
import type { BlobStore } from '../../src/ports/blob-ports.ts'
import type { ProjectBlobs } from '../../src/ports/upkeep-ports.ts'
import { type S3Server, startS3 } from './s3-server.ts'
import { CREDENTIALS } from './s3-signature.ts'

export const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
}

export const PLACE = 's3://veridict-test/some/prefix'

const NO_ENVIRONMENT: BlobEnvironment = { blobs: PLACE, aws_region: undefined, aws_endpoint: undefined }

/** Short, so that what never answers is given up soon. */
const QUICK: BlobFile = { request_timeout_ms: 400, connect_timeout_ms: 400 }

export function openRoom(
  endpoint: string,
  file: BlobFile = {},
  place = PLACE,
  env: NodeJS.ProcessEnv = ENVIRONMENT,
): ProjectBlobs {
  const settings = resolveBlobs({ ...NO_ENVIRONMENT, blobs: place }, { ...QUICK, endpoint, ...file })
  return openBlobs(settings, readSecrets(env))
}

export interface OpenStore {
  readonly s3: S3Server
  readonly room: ProjectBlobs
  readonly blobs: BlobStore
}

/** A store of its own with a client, which both go with the test. */
export async function openStore(file: BlobFile = {}): Promise<OpenStore> {
  const s3 = await startS3()
  const room = openRoom(s3.endpoint, file)
  onTestFinished(async () => {
    room.close()
    await s3.stop()
  })
  return { s3, room, blobs: folderOf(room) }
}

/** What a command is told of the store by its environment. */
export const blobVariables = ({ endpoint }: S3Server): NodeJS.ProcessEnv => ({
  ...ENVIRONMENT,
  VERIDICT_BLOBS: PLACE,
  AWS_ENDPOINT_URL_S3: endpoint,
})

export function folderOf(room: ProjectBlobs, project = 'default'): BlobStore {
  const blobs = room.of(project)
  if (blobs === null) throw new Error('there is a place')
  return blobs
}

let projects = 0

/** A folder of its own for every byte that there is, on a store that stays for as long as the tests of the file. */
export async function everythingOutside(): Promise<BlobStore> {
  shared ??= startS3()
  const room = openRoom((await shared).endpoint, { min_bytes: 1, request_timeout_ms: 20_000 })
  onTestFinished(() => room.close())
  projects += 1
  return folderOf(room, `project-${projects}`)
}

/** How many objects the tests of this file have put outside so far. */
export const countOutside = async (): Promise<number> => (await shared)?.objects.size ?? 0

let shared: Promise<S3Server> | undefined
