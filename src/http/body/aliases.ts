import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Digest } from '../../domain/digest.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Project } from '../context.ts'

export interface Answer {
  readonly key: Digest
  readonly grade_id: string
  /** Its JSON, made once for all the times that it is sent. */
  readonly text: string
}

export type Aliases = ReturnType<typeof createAliases>

const MEMORY_BYTES = 32 * 1024 * 1024

/** The memory of all projects together, so that many of them take no more than one; each only ever asks under its own name. */
export const createAliasMemory = () => ({
  /** By project and digest of the bytes; all are of one configuration. */
  answers: new LRUCache<string, Answer>({ maxSize: MEMORY_BYTES, sizeCalculation: (one) => one.text.length * 2 + 300 }),
  /** By project and key: the grade that answers it. */
  current: new LRUCache<string, string>({ max: 50_000 }),
})

/**
 * Answers a project’s same bytes again without parsing them: digest of the bytes → key → stored grade, with a small front in memory. A
 * grade that another process stores is only seen once the front has dropped the older one.
 */
export function createAliases(
  { name, stores, service }: Pick<Project, 'name' | 'stores' | 'service'>,
  { answers, current }: ReturnType<typeof createAliasMemory>,
  answerConfig: string,
) {
  service.onGrade((grade) => void current.set(`${name}/${grade.receipt.key}`, grade.id))
  const stored = (bodyDigest: string) => hash('sha256', `${bodyDigest}/${answerConfig}`)
  /** Of those in memory. */
  const recall = (bodyDigest: string): Answer | null => {
    const known = answers.get(`${name}/${bodyDigest}`)
    return known !== undefined && (current.get(`${name}/${known.key}`) ?? known.grade_id) === known.grade_id
      ? known
      : null
  }
  return {
    recall,
    /** Of those in memory and in the store. */
    async find(bodyDigest: string): Promise<Answer | null> {
      const known = recall(bodyDigest)
      if (known !== null) return known
      const alias = await stores.aliases.find(stored(bodyDigest))
      const grade = alias === null ? null : await stores.grades.findByKey(alias.key)
      if (alias === null || grade === null) return null
      const text = JSON.stringify({ ...grade, metadata: alias.metadata, receipt: { ...grade.receipt, cache: 'hit' } })
      const answer = { key: alias.key, grade_id: grade.id, text }
      answers.set(`${name}/${bodyDigest}`, answer)
      current.set(`${name}/${alias.key}`, grade.id)
      return answer
    },
    /** The grade as it was answered, with the metadata of the request. */
    remember: (bodyDigest: string, { receipt, metadata }: Grade): Promise<void> =>
      stores.aliases.put(stored(bodyDigest), receipt.key as Digest, metadata),
  }
}
