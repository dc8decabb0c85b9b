import { recall, remember } from '../ui/memory.ts'

/** Questions whose labels this browser has shown on these pages: a reload makes nobody blind again. */
const KEY = 'veridict.seen'
const MOST = 5000

/** Where the browser refuses to store anything, at least while the page is open. */
const shown = new Set<string>()

export const hasSeen = (question: string): boolean => shown.has(question) || readSeen().includes(question)

export function markSeen(questions: readonly string[]): void {
  for (const question of questions) shown.add(question)
  const before = readSeen()
  const known = new Set(before)
  const news = questions.filter((question) => !known.has(question))
  if (news.length > 0) remember(KEY, JSON.stringify([...before, ...news].slice(-MOST)))
}

function readSeen(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(recall(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
