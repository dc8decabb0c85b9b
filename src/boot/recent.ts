import { LRUCache } from 'lru-cache'
import type { Part, Trajectory } from '../domain/trajectory/trajectory.ts'

export const recentTrajectories = () =>
  new LRUCache<string, Trajectory>({
    maxSize: RECENT_CHARS,
    sizeCalculation: ({ steps }) => steps.reduce((sum, { parts }) => parts.reduce(sumChars, sum + 200), 1000),
  })

/** A picture’s base64 is kept with its part, and nothing else keeps it. */
export const sumChars = (sum: number, { text, picture }: Part): number =>
  sum + text.length + (picture?.data.length ?? 0)

export const RECENT_CHARS = 16 * 1024 * 1024
