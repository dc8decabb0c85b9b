import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { describeInBrowser, expectInSight, startAudit, useAudit } from './browser.ts'
import { makeLongRun, SEEN } from './long-run.ts'

const STEPS = 5000
/** Points of the list, every 24 pixels down its middle, at which no row stands, or one that still waits for its step. */
const lookForHoles = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const box = document.querySelector('.steps')
    if (box === null) throw new Error('there is no list')
    const { left, top, right, bottom } = box.getBoundingClientRect()
    let blank = 0
    let waiting = 0
    for (let y = top + 2; y < bottom - 2; y += 24) {
      const element = document.elementFromPoint((left + right) / 2, y)
      if (element?.closest('.row') === null) blank++
      if (element?.closest('.row-waiting')) waiting++
    }
    return { blank, waiting }
  })

describeInBrowser('a trajectory of 5,000 steps', () => {
  const audit = useAudit(startAudit, 'once')
  let grade: Grade
  let gapped: Grade
  beforeAll(async () => {
    const long = makeLongRun(450, (index) => 10 + index * 3)
    gapped = await audit.app.tell<Grade>('/v1/grades', long)
    grade = await audit.app.tell<Grade>('/v1/grades', makeLongRun(STEPS))
    expect(grade.citations.map(({ step_id }) => step_id)).toContain(SEEN + 1)
  })
  const open = async (more = '') => {
    const page = await audit.open(`/audit/grades/${grade.id}${more}`, { until: '.step' })
    return page
  }
  const allLoaded = (page: Page) => page.waitForSelector('.steps[aria-busy=false]')

  /** Whether steps were still being loaded when something was first there. */
  const busyWhen = async (page: Page, selector: string) => {
    const busy = await page.waitForFunction(
      (wanted) => document.querySelector(wanted) && document.querySelector('.steps')?.getAttribute('aria-busy'),
      selector,
    )
    return busy.jsonValue()
  }

  test('shows its first steps before the rest is there, and holds few of them in the page', async () => {
    const page = await audit.open(`/audit/grades/${grade.id}`)
    expect(await busyWhen(page, '.step')).toBe('true')
    console.log(`first steps after ${Math.round(await page.evaluate(() => performance.now()))} ms of the navigation`)
    expect(await page.locator('.step').count()).toBeLessThan(40)
    await allLoaded(page)
    console.log(`all steps after ${Math.round(await page.evaluate(() => performance.now()))} ms`)
    expect(await page.locator('.step').count()).toBeLessThan(40)
  })

  test('has no blank areas while it scrolls, by wheel and by leaps', async () => {
    const page = await open()
    await allLoaded(page)
    await page.locator('.steps').hover()
    const seen: { blank: number; waiting: number }[] = []
    for (let turn = 0; turn < 40; turn++) {
      await page.mouse.wheel(0, 1200)
      seen.push(await lookForHoles(page))
    }
    for (let turn = 0; turn < 40; turn++) {
      await page.evaluate(
        (share) => {
          const box = document.querySelector('.steps')
          if (box !== null) box.scrollTop = share * box.scrollHeight
        },
        (turn * 0.37) % 1,
      )
      seen.push(await lookForHoles(page))
    }
    for (let turn = 0; turn < 20; turn++) {
      await page.mouse.wheel(0, -1500)
      seen.push(await lookForHoles(page))
    }
    expect(seen.filter(({ blank, waiting }) => blank + waiting > 0)).toEqual([])
    // And the look itself sees a hole where there is one.
    await page.locator('.steps-shown').evaluate((rows) => {
      rows.style.visibility = 'hidden'
    })
    expect((await lookForHoles(page)).blank).toBeGreaterThan(10)
  })

  test('an address opens it anywhere, before the rest is there', async () => {
    const page = await audit.open(`/audit/grades/${grade.id}#step-4321`)
    expect(await busyWhen(page, '#step-4321:focus')).toBe('true')
    expect(await page.locator('#step-4321').innerText()).toContain('of step 4321, some output')
    await page.getByLabel('Step', { exact: true }).fill('17')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'step-17')
    expect(new URL(page.url()).hash).toBe('#step-17')
  })

  const follow = async (page: Page, number: number) => {
    await page.locator(`#claim-${number} a`).first().click()
    await page.waitForFunction((id) => document.activeElement?.id === id, `citation-${number}`)
    await expectInSight(page, `#citation-${number}`)
    await expectInSight(page, `mark[data-citations~="${number}"]`)
  }
  const WINDOWS = [
    { width: 1280, height: 800 },
    { width: 1280, height: 480 },
    { width: 400, height: 800 },
  ]

  test.each(WINDOWS)('a claim leads to evidence that is far away, $width × $height', async (viewport) => {
    const page = await audit.open(`/audit/grades/${grade.id}`, { viewport, until: '.step' })
    for (const [index] of grade.citations.entries()) await follow(page, index + 1)
    // Again, after the reader has gone elsewhere.
    await page.locator('.steps').hover()
    await page.mouse.wheel(0, 30_000)
    await page.waitForSelector('#citation-1', { state: 'detached' })
    await follow(page, 1)
  })

  test.each(WINDOWS)('an address leads to evidence, $width × $height', async (viewport) => {
    for (const [index] of grade.citations.entries()) {
      const page = await audit.open(`/audit/grades/${grade.id}#citation-${index + 1}`, { viewport })
      await expectInSight(page, `mark[data-citations~="${index + 1}"]`)
    }
  })

  test.each(WINDOWS)('search finds steps that are not in the page, $width × $height', async (viewport) => {
    const page = await audit.open(`/audit/grades/${grade.id}`, { viewport, until: '.step' })
    await allLoaded(page)
    await page.keyboard.press('/')
    await page.keyboard.type('of step 4777,')
    await page.waitForFunction(() => document.querySelector('#step-4777') !== null)
    expect(await page.locator('.find output').innerText()).toMatch(/^1 of \d+$/)
    await expectInSight(page, 'mark[data-found=current]')
    for (let hit = 2; hit <= 4; hit++) {
      await page.keyboard.press('Enter')
      await page.getByText(`${hit} of`, { exact: false }).first().waitFor()
      await expectInSight(page, 'mark[data-found=current]')
    }
  })

  test('step ids with gaps are reached by their own numbers', async () => {
    const page = await audit.open(`/audit/grades/${gapped.id}#step-1300`)
    await page.waitForFunction(() => document.activeElement?.id === 'step-1300')
    expect(await page.locator('#step-1300').innerText()).toContain('of step 431, some output')
    await allLoaded(page)
    expect(await page.locator('#step-1300').getAttribute('aria-posinset')).toBe('431')
  })
})
