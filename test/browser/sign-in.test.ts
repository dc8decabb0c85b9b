import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/access/keys.ts'
import { serve } from '../local-server.ts'
import { describeInBrowser, expectAccessible, readExample, startAudit, useAudit } from './browser.ts'

describeInBrowser('signing in', () => {
  const audit = useAudit(() => startAudit({ env: { VERIDICT_ACCESS: 'on' } }), 'once')
  let token: string
  let gradeId: string
  const store = () => audit.app.context.stores.access
  const make = async (name: string) =>
    (await createKey(store(), { name, scopes: ['grade', 'read', 'review'] }, new Date())).token

  beforeAll(async () => {
    token = await make('Ada')
    const headers = { authorization: `Bearer ${token}` }
    const graded = await audit.app.post('/v1/grades', readExample('aligned-terminus-2'), headers)
    expect(graded.statusCode).toBe(201)
    gradeId = graded.json<{ id: string }>().id
  })

  const signIn = async (page: Page, key = token) => {
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const pathOf = (page: Page) => new URL(page.url()).pathname

  test('whoever is not signed in is asked to, and comes to where he wanted', async () => {
    const page = await audit.open(`/audit/grades/${gradeId}`)
    expect(pathOf(page)).toBe('/audit/sign-in')
    await page.waitForSelector('h1')
    expect(await page.title()).toBe('Sign in · Veridict audit')
    await signIn(page)
    await page.waitForURL(`**/audit/grades/${gradeId}`)
    await page.waitForSelector('.step')
    expect(await page.locator('.session').innerText()).toContain('Ada')
    expect(await page.evaluate(() => document.cookie)).toBe('')
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: 'veridict_session', httpOnly: true, sameSite: 'Strict', path: '/' })
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(kept).not.toContain(token)
  })

  test('by keyboard alone; a bad key is refused aloud, and the field has the focus', async () => {
    const page = await audit.open('/audit/grades', { until: 'form.sign-in' })
    await page.getByLabel('Key', { exact: true }).focus()
    await page.keyboard.type('vk_wrong')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() =>
      document.querySelector('[role=alert]')?.textContent?.includes('This key is not good'),
    )
    audit.forgive(401)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-describedby'))).toBe('sign-in-refused')
    await expectAccessible(page)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(token)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('table.list tbody tr')
    expect(pathOf(page)).toBe('/audit/grades')
  })

  test('signing out ends it, here and in every other window', async () => {
    const page = await audit.open('/audit/grades')
    await signIn(page)
    await page.waitForSelector('.session button')
    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(() => void window.open('/audit/grades')),
    ])
    await other.waitForSelector('table.list tbody tr')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/audit/sign-in')
    expect(await page.context().cookies()).toEqual([])
    await other.getByRole('link', { name: 'Batches' }).click()
    await other.waitForURL('**/audit/sign-in?next=%2Faudit%2Fbatches')
    expect(await other.getByRole('status').filter({ hasText: 'a key' }).count()).toBe(1)
  })

  test('a session that ends in the middle of a review leaves what was typed', async () => {
    const page = await audit.open(`/audit/sign-in?next=${encodeURIComponent('/audit/sample/review?size=1')}`)
    await signIn(page)
    await page.waitForSelector('form.review-form')
    const place = page.url()
    await page.locator('#review-comment').fill('half a thought')
    await page.locator('#review-label-1').check()
    await page.locator('#review-rater').fill('ada')
    await page.context().clearCookies()
    await page.getByRole('button', { name: /^Submit/ }).click()
    await page.waitForSelector('form.sign-in')
    audit.forgive(401)
    await signIn(page)
    await page.waitForSelector('form.review-form')
    expect(page.url()).toBe(place)
    expect(await page.locator('#review-comment').inputValue()).toBe('half a thought')
  })

  test.each([
    'https://attacker.example/',
    '//attacker.example/',
    '/\\attacker.example',
    'javascript:alert(1)',
    '/docs',
    '',
  ])('a way back to %j is none', async (next) => {
    const page = await audit.open(`/audit/sign-in?next=${encodeURIComponent(next)}`)
    await signIn(page)
    await page.waitForSelector('.session')
    expect(page.url()).toBe(`${audit.origin}/audit/`)
  })

  test('a page of another port of this machine, to which the cookie is sent, can neither read, nor spend, nor frame', async () => {
    const site = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<p>hello</p>'))
    const page = await audit.open('/audit/grades')
    await signIn(page)
    await page.waitForSelector('table.list tbody tr')
    const answered = () => audit.app.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
    const before = answered().length
    await page.goto(`${site}/`)
    const example = JSON.stringify({ ...readExample('ignored-claude-code') })
    const read = await page.evaluate(tryEverything, { origin: audit.origin, example })
    expect(read).toEqual([])
    await page.waitForURL(`${audit.origin}/v1/grades`)
    const refused = answered()
      .slice(before)
      .filter(({ msg, method }) => msg === 'answered' && method === 'POST')
    expect(refused.map(({ status }) => status)).toEqual([403, 403])
    const { items } = (
      await audit.app.http.inject({ url: '/v1/grades', headers: { authorization: `Bearer ${token}` } })
    ).json<{ items: unknown[] }>()
    expect(items).toHaveLength(1)
    expect(audit.complaints.join()).toContain('frame-ancestors')
    audit.complaints.splice(0)
  })

  test.each(['light', 'dark'] as const)('breaks no accessibility rule in %s', async (colorScheme) => {
    const page = await audit.open('/audit/sign-in', { colorScheme, until: 'form.sign-in' })
    await expectAccessible(page)
  })

  test('the documentation works under its policy', async () => {
    const page = await audit.open('/docs', { until: '.opblock' })
    await page.locator('#operations-grades-listGrades .opblock-summary-control').click()
    await page.waitForSelector('#operations-grades-listGrades .opblock-body')
    expect(await page.locator('.auth-wrapper .authorize').count()).toBeGreaterThan(0)
  })
})

/** What a page of somebody else can try with the cookie of its visitor. Runs there; what could be read. */
async function tryEverything({ origin, example }: { origin: string; example: string }): Promise<string[]> {
  const read: string[] = []
  const ask = async (init: RequestInit) => {
    const response = await fetch(`${origin}/v1/grades`, { credentials: 'include', ...init }).catch(() => null)
    const text = (await response?.text().catch(() => '')) ?? ''
    if (text !== '') read.push(text)
  }
  await ask({})
  await ask({ method: 'POST', headers: { 'content-type': 'application/json' }, body: example })
  await ask({ method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: example })
  const frame = document.createElement('iframe')
  frame.src = `${origin}/audit/grades`
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
  document.body.append(frame)
  await loaded
  const form = document.createElement('form')
  form.method = 'post'
  form.enctype = 'text/plain'
  form.action = `${origin}/v1/grades`
  form.innerHTML = '<input name="{&quot;a" value="&quot;:1}">'
  document.body.append(form)
  form.submit()
  return read
}
