import { LRUCache } from 'lru-cache'
import type { Digest } from '../../domain/digest.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Project } from '../context.ts'

interface KnownBody {
  readonly key: Digest
  readonly metadata: Grade['metadata']
}

export type KnownBodies = ReturnType<typeof createKnownBodies>

const MEMORY_BYTES = 16 * 1024 * 1024
/** The digest, the key and their objects. */
const LEAST_BYTES = 500

/**
 * Remembers the cache key of each answered body by the digest of its bytes, so that equal bytes are answered without being parsed. `answerConfig` is the
 * digest of the configuration that a key depends on.
 */
export function createKnownBodies(answerConfig: string) {
  const bodies = new LRUCache<string, KnownBody>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ metadata }) => JSON.stringify(metadata).length * 2 + LEAST_BYTES,
  })
  const nameOf = (project: Project, digest: string) => `${answerConfig}/${project.name}/${digest}`
  return {
    remember(project: Project, digest: string, { receipt, metadata }: Grade): void {
      bodies.set(nameOf(project, digest), { key: receipt.key as Digest, metadata })
    },
    /** Finds the grade that stands under the key of a body today. */
    async find(project: Project, digest: string): Promise<Grade | null> {
      const known = bodies.get(nameOf(project, digest))
      const grade = known === undefined ? null : await project.stores.grades.findByKey(known.key)
      if (known === undefined || grade === null) return null
      return { ...grade, metadata: known.metadata, receipt: { ...grade.receipt, cache: 'hit' } }
    },
  }
}
