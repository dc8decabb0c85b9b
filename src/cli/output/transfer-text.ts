import { count } from '../../domain/count.ts'
import type { ExportKind } from '../../schemas/transfer.ts'

const NOUNS: Readonly<Record<ExportKind, readonly [one: string, many: string]>> = {
  trajectory: ['trajectory', 'trajectories'],
  attempt: ['call', 'calls'],
  grade: ['grade', 'grades'],
  review: ['review', 'reviews'],
}

/** Renders records by their kind: `2 trajectories, 3 calls, 2 grades, 0 reviews`. */
export const tallyText = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(NOUNS)
    .map(([kind, nouns]) => count(counts[kind] ?? 0, ...nouns))
    .join(', ')
