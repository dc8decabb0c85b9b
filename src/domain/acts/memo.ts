type Answer = string | boolean | number | null

/** Answers to questions about parts, calls and lines, each worked out once. */
export class Memo {
  private readonly answers = new WeakMap<object, Map<string, Answer>>()

  once<T extends Answer>(of: object, question: string, answer: () => T): T {
    const known = this.answers.get(of) ?? new Map<string, Answer>()
    this.answers.set(of, known)
    const found = known.has(question) ? (known.get(question) as T) : answer()
    known.set(question, found)
    return found
  }
}
