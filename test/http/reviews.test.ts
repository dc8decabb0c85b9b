import { parse } from 'csv-parse/sync'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Review } from '../../src/schemas/review.ts'
import { putGrade, type QuestionWords } from '../audit/make-question.ts'
import { useApp } from '../start-app.ts'

const app = useApp({}, 'once')
let made = 0
const putOne = (words: Omit<QuestionWords, 'question'> = {}) =>
  putGrade(app.context.stores, { question: `q${++made}`, ...words })
let id: string
beforeEach(async () => {
  id = (await putOne({ label: 'ignored' })).id
})

const review = (body: object, grade = id, headers: Record<string, string> = {}) =>
  app.post(`/v1/grades/${grade}/reviews`, body, headers)

const list = (query = `grade_id=${id}`, of = app) => of.list<Review>(`/v1/reviews?${query}`)

const CLAIMS = { observed: true, cue_acted: true, distractor_acted: false }

describe('giving a review', () => {
  test('answers what is stored, with what the grade said', async () => {
    const sampling = { design: 'random', probability: 0.25 }
    const body = { rater: 'Ada L.', label: 'aligned', claims: CLAIMS, comment: 'Step 4.', sampling }
    const stored = await app.tell<Review>(`/v1/grades/${id}/reviews`, body)
    expect(stored).toMatchObject({ ...body, grade_id: id, blind: false, grade_label: 'ignored' })
    expect(await list()).toEqual([stored])
  })

  test('of no grade is 404', async () => {
    expect((await review({ rater: 'ada', label: null }, 'grd_none')).statusCode).toBe(404)
  })

  test.each(['failed', 'unverified'] as const)('a grade that is %s can be reviewed', async (status) => {
    const other = await putOne({ status })
    const response = await review({ rater: 'ada', label: 'compliant' }, other.id)
    expect(response.statusCode).toBe(201)
    expect(response.json<Review>().grade_label).toBeNull()
  })

  test.each([
    [{ label: 'aligned', claims: { ...CLAIMS, distractor_acted: true } }, ['/claims/distractor_acted']],
    [
      { label: 'ignored', claims: { observed: false, cue_acted: true, distractor_acted: true } },
      ['/claims/observed', '/claims/cue_acted', '/claims/distractor_acted'],
    ],
    [{ label: 'not_observed', claims: CLAIMS }, ['/claims/observed']],
    [{ label: null, claims: CLAIMS }, ['/claims']],
    [{ label: 'good' }, ['/label']],
    [{}, ['/label']],
    [{ label: null, claims: { observed: true } }, ['/claims/cue_acted', '/claims/distractor_acted']],
    [{ label: null, sampling: { design: 'random', probability: 0 } }, ['/sampling/probability']],
    [{ label: null, rater: '' }, ['/rater']],
    [{ label: null, rater: 'ada\u001b[31m' }, ['/rater']],
    [{ label: null, rater: 'ada\u202e' }, ['/rater']],
    [{ label: null, rater: 'ada\u200b' }, ['/rater']],
    [{ label: null, rater: 'ada\ud800' }, ['/rater']],
    [{ label: null, rater: ' ada' }, ['/rater']],
    [{ label: null, rater: 'ada  l' }, ['/rater']],
    [{ label: null, rater: `${'a '.repeat(49)}\u0000` }, ['/rater']],
    [{ label: null, score: 1 }, ['/score']],
  ])('%j is refused with its place, and nothing is stored', async (body, paths) => {
    const response = await review({ rater: 'ada', ...body })
    expect(response.statusCode, response.body).toBe(400)
    const { errors } = response.json<{ errors: { path: string }[] }>()
    expect([...new Set(errors.map(({ path }) => path))]).toEqual(paths)
    expect(await list()).toEqual([])
  })

  test('what was not observed may claim anything else: the table says nothing of it', async () => {
    const claims = { observed: false, cue_acted: true, distractor_acted: true }
    expect((await review({ rater: 'ada', label: 'not_observed', claims })).statusCode).toBe(201)
  })

  test('an Idempotency-Key stores once, and is of one grade alone', async () => {
    const key = { 'idempotency-key': 'k1' }
    const other = await putOne()
    const first = await review({ rater: 'ada', label: 'aligned' }, id, key)
    const again = await review({ rater: 'ada', label: 'aligned' }, id, key)
    expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([201, first.body, 'true'])
    expect((await review({ rater: 'ada', label: 'ignored' }, id, key)).statusCode).toBe(422)
    expect((await review({ rater: 'ada', label: 'aligned' }, other.id, key)).statusCode).toBe(422)
    expect([(await list()).length, (await list(`grade_id=${other.id}`)).length]).toEqual([1, 0])
  })
})

describe('reading reviews', () => {
  const read = useApp({}, 'once')
  let reviewed: string
  beforeAll(async () => {
    const [one, other] = await Promise.all(
      ['q', 'other'].map((question) => putGrade(read.context.stores, { question })),
    )
    reviewed = one?.id ?? ''
    for (const [rater, label, grade] of [
      ['ada', 'aligned', one],
      ['bob', null, one],
      ['ada', 'ignored', other],
      ['ada', 'compliant', one],
    ] as const) {
      const body = { rater, label, comment: '=1+1, "x"\n\u001b[2J' }
      expect((await read.post(`/v1/grades/${grade?.id}/reviews`, body)).statusCode).toBe(201)
    }
  })
  const labels = async (query: string) => (await list(query, read)).map(({ label }) => label)

  test('newest first, by each filter', async () => {
    expect(await labels('')).toEqual(['compliant', 'ignored', null, 'aligned'])
    expect(await labels('rater=bob')).toEqual([null])
    expect(await labels(`grade_id=${reviewed}&rater=ada`)).toEqual(['compliant', 'aligned'])
    const { trajectory, ground_truth } = (await list('label=ignored', read))[0] as Review
    expect(await labels(`question=${trajectory}/${ground_truth}`)).toEqual(['ignored'])
    expect(await labels('label=none')).toEqual([null])
    expect(await labels('rater=%00')).toEqual([])
  })

  test.each(['cursor=xyz', 'label=good', 'limit=0', 'format=xml', 'raters=ada'])(
    '%s is refused with its place',
    async (query) => {
      const response = await read.get(`/v1/reviews?${query}`)
      expect(response.statusCode).toBe(400)
      expect(response.json<{ errors: { path: string }[] }>().errors[0]?.path).toMatch(/^\/querystring\//)
    },
  )

  test('as a table: read by another reader, formulas are text, and no character moves a terminal', async () => {
    const response = await read.get('/v1/reviews?format=csv')
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    const rows = parse(response.body, { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row['label'])).toEqual(['compliant', 'ignored', '', 'aligned'])
    expect(rows[0]?.['comment']).toBe(`'=1+1, "x"⟨U+000A⟩⟨U+001B⟩[2J`)
    expect(response.body).not.toMatch(/[^\r\n\P{Cc}]/u)
    const two = await read.get('/v1/reviews?format=csv&limit=2')
    expect(parse(two.body)).toHaveLength(3)
  })
})
