import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import type { BlobStore } from '../../src/ports/blob-ports.ts'
import type { Stores } from '../../src/ports/ports.ts'
import { goodReply } from '../storage/make-attempt.ts'
import { openStore } from './blob-tools.ts'
import type { S3Server } from './s3-server.ts'

/** One database, which can be opened again and again, also by several at the same time. */
export interface TestDatabase {
  open(blobs: BlobStore | null): Promise<Stores>
  query(sql: string): Promise<Record<string, unknown>[]>
}

export const AT = '2026-11-21T00:00:00.000Z'

/** Hardly to be compressed, so that its size is that of the text. */
export const noise = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes)
export const documentOf = (text: string) => ({ steps: [{ text }] })
export const LARGE = documentOf(noise(60_000))
export const SMALL = documentOf('small')

export const put = (stores: Stores, document: Record<string, unknown>) =>
  stores.trajectories.put({ id: digestValue(document), format: 'steps', document }, AT)
export const get = async (stores: Stores, document: Record<string, unknown>) =>
  (await stores.trajectories.get(digestValue(document)))?.document

export const LARGE_REPLY = goodReply({ text: noise(50_000), raw: noise(70_000) })
export const keysOf = (s3: S3Server): string[] => [...s3.objects.keys()].filter((key) => !key.endsWith('/check'))

/** Stores over an empty database and a store for its large data; `open` opens the same database once more. */
export async function beginOutside(make: () => TestDatabase) {
  const { s3, room, blobs } = await openStore({ max_attempts: 2 })
  const database = make()
  const open = async (given: BlobStore | null = blobs) => {
    const stores = await database.open(given)
    onTestFinished(() => stores.close())
    return stores
  }
  return { s3, room, blobs, database, open, stores: await open() }
}
