import type { Kind } from './kind-case.ts'

/**
 * What the gate of commit 08c604f made of these cases on 22 November 2026, in the columns of the table. Where a kind has other cases now, its row
 * is printed without them; `docs/evidence.md` says how they are measured again.
 */
export const BEFORE: Readonly<Partial<Record<Kind | 'all', readonly number[]>>> = {
  mentioned_not_done: [760, 534, 0, 109, 1520, 481, 0, 1520, 336, 142, 33],
  not_executed: [467, 410, 0, 54, 930, 367, 0, 930, 282, 85, 19],
  acts_in_messages: [588, 216, 0, 0, 504, 0, 432, 504, 0, 270, 162],
  done_but_denied: [491, 235, 0, 256, 491, 163, 8, 495, 0, 165, 39],
  seen_but_denied: [152, 41, 0, 64, 456, 81, 42, 456, 0, 30, 137],
  own_text: [164, 160, 0, 0, 246, 103, 57, 246, 0, 114, 46],
  absent_instruction: [108, 108, 0, 0, 108, 0, 0, 108, 0, 0, 0],
  order: [132, 72, 0, 0, 264, 72, 0, 264, 0, 54, 18],
  acting_by_message: [88, 88, 0, 0, 128, 88, 0, 128, 65, 23, 0],
  honest_quotes: [55, 0, 0, 0, 172, 0, 152, 227, 0, 0, 1],
  windows: [5, 0, 0, 5, 30, 0, 25, 0, 0, 0, 0],
  pictures: [96, 0, 0, 16, 96, 0, 32, 96, 0, 8, 8],
  planted: [408, 146, 0, 170, 408, 137, 0, 408, 48, 76, 22],
  all: [2748, 1484, 0, 449, 4070, 1040, 746, 4095, 441, 808, 451],
}
