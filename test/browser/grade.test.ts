import { beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import {
  describeInBrowser,
  expectAccessible,
  expectInSight,
  gradeExamples,
  readExample,
  startAudit,
  useAudit,
} from './browser.ts'

describeInBrowser('one grade', () => {
  const audit = useAudit(startAudit, 'once')
  let grades: ReadonlyMap<string, Grade>
  beforeAll(async () => {
    grades = await gradeExamples(audit.app)
    await audit.app.post('/v1/grades', { ...readExample('aligned-terminus-2'), samples: 3 })
  })
  const pathOf = (name: string) => `/audit/grades/${grades.get(name)?.id}`
  const openGrade = async (name: string, more = '') => {
    const page = await audit.open(pathOf(name) + more, { until: '.step' })
    return page
  }

  test('the verdict, its claims, its ground truth and its receipt', async () => {
    const page = await openGrade('aligned-terminus-2')
    const text = await page.locator('main').innerText()
    const limit = 'Why not higher\nthe command of step 4 was typed into a terminal'
    const all = ['aligned', 'Confidence\nmedium', limit, 'The cue was acted on: yes', 'LDSCRIPT=board-rev-c.ld']
    for (const wanted of all) expect(text).toContain(wanted)
    expect(text).toContain(grades.get('aligned-terminus-2')?.receipt.key)
    expect(text).toContain('Input\ncomplete')
  })

  test('it opens on the first evidence, with verdict, cue and distractor beside it, whatever stands first in the run', async () => {
    const prompt = { actor: 'system', text: 'Rules of the house, which go on and on. '.repeat(150) }
    const { id } = await audit.app.tell<Grade>('/v1/grades', {
      trajectory: { steps: [prompt, ...TRAJECTORY.steps] },
      ground_truth: GROUND_TRUTH,
      judge: 'lexical',
    })
    const page = await audit.open(`/audit/grades/${id}`, { viewport: { width: 1400, height: 800 } })
    await expectInSight(page, '#citation-1')
    expect(await page.locator('h1').innerText()).toMatch(/^unnamed run [0-9a-f]{8} aligned$/)
    await expectInSight(page, '.truth details:nth-of-type(1) pre')
    await expectInSight(page, '.truth details:nth-of-type(2) pre')
    expect(await page.evaluate(() => [scrollY, document.activeElement?.localName])).toEqual([0, 'body'])
    const narrow = await audit.open(`/audit/grades/${id}`, { viewport: { width: 400, height: 800 } })
    await expectInSight(narrow, '.truth details:nth-of-type(2) pre')
  })

  test('a claim leads to the exact place of its evidence, and back', async () => {
    const page = await openGrade('aligned-terminus-2')
    const grade = grades.get('aligned-terminus-2')
    for (const [index, citation] of (grade?.citations ?? []).entries()) {
      await page
        .locator(`#claim-${index + 1} a`)
        .first()
        .click()
      await page.waitForFunction((id) => document.activeElement?.id === id, `citation-${index + 1}`)
      await expectInSight(page, `#citation-${index + 1}`)
      const chip = page.locator(`#citation-${index + 1}`)
      expect(await chip.innerText()).toBe(`${index + 1} ${citation.supports} ${citation.status}`)
      expect(await chip.locator('xpath=following-sibling::mark[1]').innerText()).toBe(citation.quote)
      expect(await chip.locator('xpath=ancestor::article').getAttribute('id')).toBe(`step-${citation.step_id}`)
    }
    await page.locator('#citation-1').click()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('claim-1')
  })

  test('what was claimed in vain says why', async () => {
    const page = await openGrade('unverified-media-codex')
    const text = await page.locator('main').innerText()
    expect(text).toContain('unverified')
    expect(text).toContain(grades.get('unverified-media-codex')?.unmet[0]?.reason)
  })

  test('other grades of the question stand side by side, the raw replies are there when asked for', async () => {
    const page = await openGrade('aligned-terminus-2')
    const panel = page.getByRole('region', { name: 'Grades of the same question' })
    expect(await panel.locator('thead th').count()).toBe(3)
    expect(await panel.getByRole('row', { name: 'Samples' }).innerText()).toMatch(/1\s+3/)
    const why = await panel.getByRole('row', { name: 'Why not higher' }).innerText()
    expect(why.split('the command of step 4 was typed into a terminal')).toHaveLength(3)
    await page.getByRole('button', { name: 'Show the raw replies' }).click()
    await page.getByText('Sample 1, round 0').click()
    await page.getByText('"citations"').first().waitFor()
    await panel.locator('thead').getByRole('link').click()
    await page.waitForFunction((before) => location.pathname !== before, pathOf('aligned-terminus-2'))
    await page.getByText('aligned, medium; aligned, medium; aligned, medium').waitFor()
    await expect.poll(() => page.locator('td[data-title="Sample"]').allInnerTexts()).toEqual(['1', '2', '3'])
  })

  test('an action says what it is and what became of it', async () => {
    const call = (id: string, args: object) => ({ tool_call_id: id, function_name: 'Bash', arguments: args })
    const example = readExample('ignored-claude-code')
    const steps = [
      { step_id: 1, source: 'user', message: 'Rotate the key.' },
      {
        step_id: 2,
        source: 'agent',
        message: '',
        tool_calls: [
          call('a', { command: 'ls', description: 'List the files' }),
          call('b', { command: 'rotate-key --now' }),
        ],
        observation: {
          results: [
            { source_call_id: 'a', content: 'README' },
            { source_call_id: 'b', content: 'Permission to use Bash has been denied.', extra: { is_error: true } },
          ],
        },
      },
    ]
    const body = { ...example, trajectory: { ...example.trajectory, steps } }
    const { id } = await audit.app.tell<Grade>('/v1/grades', body)
    const page = await audit.open(`/audit/grades/${id}`)
    const headOf = (text: string) => page.locator('.part', { hasText: text }).first().locator('header').innerText()
    await page.getByText('rotate-key --now').waitFor()
    expect(await headOf('rotate-key --now')).toMatch(/executes\s+rejected, not run/)
    expect(await headOf('List the files')).toMatch(/describes the call, is no act\s+answered/)
    expect(await headOf('README')).not.toContain('ran')
  })

  test('all tool output is folded, but for what is marked in it, and evidence opens what was folded by hand', async () => {
    const page = await openGrade('aligned-terminus-2')
    const output = page.locator('.part[data-actor=tool_output]')
    await page.keyboard.press('o')
    await expect
      .poll(() => output.locator('pre').count())
      .toBe(await output.filter({ has: page.locator('mark') }).count())
    expect(await output.locator('pre').count()).toBeLessThan(await output.count())
    expect(await page.getByRole('button', { name: 'Fold tool output' }).getAttribute('aria-pressed')).toBe('true')
    const seen = grades.get('aligned-terminus-2')?.citations.findIndex(({ actor }) => actor === 'tool_output') ?? -1
    await output
      .filter({ has: page.locator('mark') })
      .first()
      .getByRole('button', { name: 'Fold' })
      .click()
    await page
      .locator(`#claim-${seen + 1} a`)
      .first()
      .click()
    await expectInSight(page, `#citation-${seen + 1}`)
    // What was chosen holds for other trajectories, and can be taken back.
    await page.reload()
    await page.waitForSelector('.step')
    expect(await output.locator('pre').count()).toBeLessThan(await output.count())
    await page.keyboard.press('o')
    await expect.poll(async () => (await output.locator('pre').count()) === (await output.count())).toBe(true)
  })

  test.each(['light', 'dark'] as const)('breaks no accessibility rule in %s', async (colorScheme) => {
    const page = await audit.open(pathOf('compliant-codex'), { colorScheme, until: '.step' })
    await expectAccessible(page)
    const narrow = await audit.open(pathOf('unverified-media-codex'), {
      colorScheme,
      viewport: { width: 390, height: 800 },
      until: '.step',
    })
    await expectAccessible(narrow)
  })
})
