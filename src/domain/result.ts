/** The core returns results; only the edges throw. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error })

export type { Issue } from '../schemas/problem.ts'

/** Copies an object without its undefined members. */
export const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Adds an item to the list of a key, which begins with it where there is none. */
export function pushTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Waits until all work has ended; then returns its values, or throws the error of the first that failed. */
export async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

interface Answers<K, T> {
  get(key: K): T | undefined
  set(key: K, answer: T): unknown
}

/** Makes a function that answers each key once; `answers` may be a `WeakMap`, so that an answer lives as long as its key. */
export const once =
  <K, T extends NonNullable<unknown> | null>(
    answer: (key: K) => T,
    answers: Answers<K, T> = new Map(),
  ): ((key: K) => T) =>
  (key) => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const found = answer(key)
    answers.set(key, found)
    return found
  }

/** Makes a function that answers each pair of objects once, for as long as both live. */
export const onceForBoth = <A extends object, B extends object, T extends NonNullable<unknown>>(
  answer: (a: A, b: B) => T,
): ((a: A, b: B) => T) => {
  const answersOf = once((a: A) => once((b: B) => answer(a, b), new WeakMap<B, T>()), new WeakMap<A, (b: B) => T>())
  return (a, b) => answersOf(a)(b)
}

/** Makes a function that answers once. */
export function lazy<T extends NonNullable<unknown>>(answer: () => T): () => T {
  let known: T | undefined
  return () => {
    known ??= answer()
    return known
  }
}

/** Keeps the answers of a few keys: a full map is emptied. */
export class FewAnswers<T> extends Map<string, T> {
  private readonly most: number

  constructor(most: number) {
    super()
    this.most = most
  }

  override set(key: string, answer: T): this {
    if (this.size >= this.most) this.clear()
    return super.set(key, answer)
  }
}

type Answer = string | boolean | number | null

/** Answers questions about parts, calls and lines, each once. */
export class Memo {
  private readonly answersOf = once((_: object) => new Map<string, Answer>(), new WeakMap())

  once<T extends Answer>(of: object, question: string, answer: () => T): T {
    const answers = this.answersOf(of)
    const found = answers.has(question) ? (answers.get(question) as T) : answer()
    answers.set(question, found)
    return found
  }
}
