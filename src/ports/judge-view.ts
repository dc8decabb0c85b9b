import type { JudgeView } from '../schemas/judge-info.ts'
import type { JudgeInfo } from './judge.ts'

/** Describes a judge as `GET /v1/judges` shows it. */
export const judgeView = (info: JudgeInfo, default_judge: string): JudgeView => ({
  name: info.name,
  kind: info.kind,
  description: info.description,
  default: info.name === default_judge,
  provider: info.identity.provider,
  base_url: info.base_url,
  model: info.identity.model,
  parameters: { ...info.identity.parameters },
  window_tokens: info.window_tokens,
  max_output_tokens: info.max_output_tokens,
  images: info.images,
  price: info.price,
})
