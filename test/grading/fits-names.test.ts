import { expect, test } from 'vitest'
import { fitsNames, namesOf } from '../../src/db/grades.ts'
import { makeGrade } from '../storage/make-grade.ts'

test('a grade fits what asks for nothing, or only for what it is', () => {
  const grade = makeGrade({ label: 'aligned', metadata: { agent: 'codex', batch: 'mine' } })
  const names = namesOf(grade)
  expect(fitsNames(names, {})).toBe(true)
  expect(fitsNames(names, { label: 'aligned', agent: 'codex', batch: 'mine' })).toBe(true)
  expect(fitsNames(names, { label: 'aligned', agent: 'other' })).toBe(false)
  expect(fitsNames(names, { task: 'fix-git' })).toBe(false)
  expect(fitsNames({ rubric: null }, { rubric: 'tab-behavior' })).toBe(false)
  expect(fitsNames({ label: null }, { label: 'aligned' })).toBe(false)
})

test('a rubric without its version means all of them, and no other rubric', () => {
  const names = namesOf(makeGrade({ rubric: 'injection@2' }))
  expect(fitsNames(names, { rubric: 'injection' })).toBe(true)
  expect(fitsNames(names, { rubric: 'injection@2' })).toBe(true)
  expect(fitsNames(names, { rubric: 'injection@1' })).toBe(false)
  expect(fitsNames(names, { rubric: 'inject' })).toBe(false)
  // Of nothing else.
  expect(fitsNames({ judge: 'a@1' }, { judge: 'a' })).toBe(false)
})
