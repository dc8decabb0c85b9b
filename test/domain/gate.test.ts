import { describe, expect, test } from 'vitest'
import { gateCases, gradeCase } from './gate.ts'

/** The rules of the gate (docs/design.md, section 3) over whole grades: run, truth and claims → label, level and reason. */
for (const [about, cases] of gateCases())
  describe(about, () => {
    test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
      expect(gradeCase(one)).toBe(one.grade)
      // A stricter setting refuses what a given anchor contradicts, and changes nothing else.
      const refused = gradeCase({ ...one, denied_acts: 'refuse' })
      if (!one.grade.includes('acted_against_anchor@')) expect(refused).toBe(one.grade)
    })
  })
