import type { GenerateContentConfig, GenerateContentParameters, Part } from '@google/genai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { JudgeRequest } from '../../ports/judge-ports.ts'
import { pictureParts } from '../picture-parts.ts'

/** What a `generateContent` call says. Trajectory first, question after it, repairs last: what is shared stands in front. */
export function buildGenerateRequest(request: JudgeRequest, settings: JudgeSettings): GenerateContentParameters {
  return {
    model: settings.model,
    contents: [
      { role: 'user', parts: [{ text: request.trajectory }, ...pictures(request), { text: request.question }] },
      ...request.repairs.flatMap(({ answer, complaint }) => [
        { role: 'model', parts: [{ text: answer === '' ? '(no answer)' : answer }] },
        { role: 'user', parts: [{ text: complaint }] },
      ]),
    ],
    config: {
      systemInstruction: request.system,
      maxOutputTokens: request.max_output_tokens ?? settings.max_output_tokens,
      candidateCount: 1,
      ...thinking(settings),
      ...(settings.structured_output === 'json_schema' && {
        responseMimeType: 'application/json',
        responseJsonSchema: request.answer_schema,
      }),
      ...(settings.service_tier !== undefined && {
        serviceTier: settings.service_tier as NonNullable<GenerateContentConfig['serviceTier']>,
      }),
    },
  }
}

/** A level (`low`, `high`) as Gemini 3 takes it, or a number of tokens as Gemini 2.5 does; `-1` leaves it to the model. */
function thinking({ effort }: JudgeSettings): GenerateContentConfig {
  if (effort === null) return {}
  if (/^-?\d{1,6}$/.test(effort)) return { thinkingConfig: { thinkingBudget: Number(effort) } }
  type Level = NonNullable<NonNullable<GenerateContentConfig['thinkingConfig']>['thinkingLevel']>
  return { thinkingConfig: { thinkingLevel: effort.toUpperCase() as Level } }
}

const pictures = (request: JudgeRequest): Part[] =>
  pictureParts<Part>(
    request,
    (text) => ({ text }),
    ({ media_type, data }) => ({ inlineData: { mimeType: media_type, data } }),
  )
