/** Everything that a store answers over HTTP, by path. */
export type Answers = Readonly<Record<string, unknown>>

export interface Exported {
  readonly answers: Answers
  /** A trajectory that no grade is of. */
  readonly uploaded: string
  readonly requests: readonly { readonly sent: string; readonly status: number; readonly text: string }[]
  readonly once: { readonly sent: string; readonly status: number; readonly text: string }
}

interface Page {
  readonly items: readonly { readonly id: string; readonly receipt?: { readonly trajectory: string } }[]
}

/** Reads grades with their calls, raw replies, votes and ground truths; batches with their items; reviews; stored documents. */
export async function exportStore(
  get: (path: string) => Promise<string>,
  uploaded: string,
): Promise<{ readonly answers: Answers }> {
  const answers: Record<string, unknown> = {}
  const read = async (path: string): Promise<unknown> => {
    const text = await get(path)
    answers[path] = path.endsWith('/results')
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : JSON.parse(text)
    return answers[path]
  }
  const grades = (await read('/v1/grades?limit=100')) as Page
  const batches = (await read('/v1/batches?limit=100')) as Page
  await read('/v1/reviews?limit=100')
  await read('/v1/disagreements?limit=100')
  const batched = new Set<string>()
  for (const { id } of batches.items) {
    await read(`/v1/batches/${id}`)
    const results = (await read(`/v1/batches/${id}/results`)) as readonly { readonly grade_id: string | null }[]
    for (const { grade_id } of results) if (grade_id !== null) batched.add(grade_id)
  }
  const ids = new Set([...grades.items.map(({ id }) => id), ...batched])
  const trajectories = new Set([uploaded])
  for (const id of ids) {
    const grade = (await read(`/v1/grades/${id}`)) as Page['items'][number]
    await read(`/v1/grades/${id}/attempts?raw=true`)
    await read(`/v1/grades/${id}/ground-truth`)
    if (grade.receipt !== undefined) trajectories.add(grade.receipt.trajectory)
  }
  for (const id of trajectories) await read(`/v1/trajectories/${id}?document=true`)
  return { answers }
}
