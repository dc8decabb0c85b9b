import { LRUCache } from 'lru-cache'
import type { GradeStore } from '../../db/grades.ts'
import type { Digest } from '../../domain/digest.ts'
import type { Grade } from '../../schemas/grade.ts'

interface KnownBody {
  readonly key: Digest
  readonly metadata: Grade['metadata']
  /** The text of the stored grade, and of the answer that was made of it; null: no answer yet. */
  answered: { readonly stored: string; readonly text: string; readonly grade_id: string } | null
}

export type KnownBodies = ReturnType<typeof createKnownBodies>

const MEMORY_BYTES = 32 * 1024 * 1024
/** The digest, the key and their objects. */
const LEAST_BYTES = 500

const sizeOf = ({ metadata, answered }: KnownBody): number =>
  LEAST_BYTES + JSON.stringify(metadata).length * 2 + (answered === null ? 0 : answered.text.length * 4)

/**
 * Remembers the cache key of each answered body by the digest of its bytes, so that equal bytes are answered without being parsed. `answerConfig` is the
 * digest of the configuration that a key depends on.
 */
export function createKnownBodies(
  answerConfig: string,
  { grades }: { readonly grades: Pick<GradeStore, 'findTextByKey'> },
) {
  const bodies = new LRUCache<string, KnownBody>({ maxSize: MEMORY_BYTES, sizeCalculation: sizeOf })
  const nameOf = (digest: string) => `${answerConfig}/${digest}`
  return {
    remember(digest: string, { receipt, metadata }: Grade): void {
      bodies.set(nameOf(digest), { key: receipt.key as Digest, metadata, answered: null })
    },
    /** Finds the answer to equal bytes: the grade that stands under their key today, with the metadata of their request. */
    async find(digest: string): Promise<KnownBody['answered']> {
      const name = nameOf(digest)
      const body = bodies.get(name)
      const stored = body === undefined ? null : await grades.findTextByKey(body.key)
      if (body === undefined || stored === null) return null
      if (body.answered?.stored === stored) return body.answered
      const grade = JSON.parse(stored) as Grade
      const text = JSON.stringify({ ...grade, metadata: body.metadata, receipt: { ...grade.receipt, cache: 'hit' } })
      const answered = { stored, text, grade_id: grade.id }
      bodies.set(name, { ...body, answered })
      return answered
    },
  }
}
