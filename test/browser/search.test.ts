import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Audit, describeInBrowser, expectAccessible, expectInSight, findOverflow, startAudit } from './browser.ts'
import { makeLongRun } from './long-run.ts'

/** More runs than one request looks through, the one that is looked for behind them. */
const MANY = 130

describeInBrowser('search in all runs', () => {
  let audit: Audit
  beforeAll(async () => {
    audit = await startAudit()
    const body = { ...makeLongRun(900), metadata: { task: 'far-away', agent: 'codex' } }
    expect((await audit.app.post('/v1/grades', body)).statusCode).toBe(201)
    const steps = (text: string) => ({ steps: [{ actor: 'tool_output', text }] })
    await audit.app.post('/v1/trajectories', steps('never graded, with of step 777, <b>too</b>\u202e'))
    for (let at = 2; at < MANY; at++) await audit.app.post('/v1/trajectories', steps(`line ${at}`))
  }, 60_000)
  afterAll(() => audit.stop())

  const WINDOWS = [
    { width: 1280, height: 800 },
    { width: 400, height: 800 },
  ]
  test.each(WINDOWS)('leads from the list of trials to the marked text, $width × $height', async (viewport) => {
    const page = await audit.open('/audit/grades', { viewport })
    await page.getByLabel('Search in all runs').fill('OF STEP 777,')
    await page.keyboard.press('Enter')
    await page.getByText(`Looked through ${MANY} of ${MANY} runs: 2 hold the text`).waitFor()
    expect(new URL(page.url()).search).toBe('?q=OF+STEP+777%2C')
    expect(await page.locator('.found-trial h2').allInnerTexts()).toEqual([
      expect.stringMatching(/^run [0-9a-f]{8}$/),
      expect.stringMatching(/^far-away · run [0-9a-f]{8} · codex$/),
    ])
    expect(await page.locator('.found-trial').first().innerText()).toContain('never graded')
    expect(await page.locator('.found-trial mark').allInnerTexts()).toEqual(
      Array.from({ length: 4 }, () => 'of step 777,'),
    )
    expect(await findOverflow(page)).toEqual([])
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Step 777' }).click()
    await expectInSight(page, '#step-777 mark[data-found=current]')
    expect(await page.locator('mark[data-found=current]').innerText()).toBe('of step 777,')
    await page.waitForSelector('.steps[aria-busy=false]')
    await expectInSight(page, '#step-777 mark[data-found=current]')
    expect(await page.getByLabel('Search in the trajectory').inputValue()).toBe('OF STEP 777,')
    // And what was found does not hold its reader: a link to another step leads there.
    await page.getByLabel('Step', { exact: true }).fill('17')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'step-17')
    await page.goBack()
    await page.goBack()
    await page.getByText(`Looked through ${MANY} of ${MANY} runs`).waitFor()
    expect(audit.complaints).toEqual([])
  })

  test('a text that many runs hold: the search waits to be told to go on', async () => {
    const page = await audit.open('/audit/search?q=line')
    await page.getByText('20 hold the text').waitFor()
    expect(await page.getByRole('status').innerText()).toMatch(/^Looked through 20 of 130 runs/)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('40 hold the text').waitFor()
    expect(await page.locator('.found-trial').count()).toBe(40)
  })

  test('every place of a step is shown, each judge once, and a run under all that is known of it', async () => {
    const own = await startAudit()
    try {
      const told = { model: 'm-1', trial: 'trial-9', agent: 'codex' }
      const first = { ...makeLongRun(12), metadata: told }
      for (const cache of ['use', 'refresh', 'refresh'])
        expect((await own.app.post('/v1/grades', { ...first, cache })).statusCode).toBe(201)
      const page = await own.open('/audit/search?q=step')
      await page.getByText('1 holds the text').waitFor()
      const trial = page.locator('.found-trial')
      expect(await trial.locator('h2').innerText()).toBe('trial-9 · codex · m-1')
      expect(await trial.locator('mark').count()).toBeGreaterThan(
        await trial.getByRole('link', { name: 'Step' }).count(),
      )
      expect(await trial.innerText()).toMatch(
        /Newest grades: lexical [0-9-]+ [0-9:]+ UTC, [0-9-]+ [0-9:]+ UTC, [^,]+UTC$/,
      )
      await expectAccessible(page)
    } finally {
      await own.stop()
    }
  })

  test('says what to do where there is nothing', async () => {
    const page = await audit.open('/audit/search')
    await page.getByText('Type what to look for').waitFor()
    await page.getByLabel('Search in all runs').fill('nobody wrote this')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No run holds this text.').waitFor()
    expect(await page.getByRole('button', { name: 'Go on' }).count()).toBe(0)
  })

  test('with nothing stored it shows the first command', async () => {
    const empty = await startAudit()
    try {
      const page = await empty.open('/audit/search?q=anything')
      await page.getByText('veridict batch examples').waitFor()
    } finally {
      await empty.stop()
    }
  })
})
