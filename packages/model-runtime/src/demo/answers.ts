import {
  labelOf,
  textOf,
  type AssistantMessage,
  type Message,
  type ToolDefinition,
  type ToolMessage,
} from '@toolyard/protocol';
import type { ChatRequest } from '../types.ts';
import { runCommand } from './commands.ts';
import { findCities, DEMO_CITIES, type DemoCity } from './cities.ts';
import { dateCalls, detectLanguage, readTimeQuestion } from './time-question.ts';
import type { DemoAnswer } from './types.ts';
import { timeSentence, WORDING } from './wording.ts';

/** Computes the demo's answer. Deterministic: equal requests have equal answers. */
export function demoAnswer(request: ChatRequest): DemoAnswer {
  const lastMessage = request.messages.findLast((message) => message.role === 'user');
  const text = lastMessage === undefined ? '' : textOf(lastMessage);
  const { messages } = request;
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1).filter(isToolMessage);
  if (results.length > 0) return { kind: 'say', text: answerFrom(results, text, messages) };

  const mayCall = request.toolChoice === 'auto';
  const command = runCommand(text, request.tools, mayCall);
  if (command !== null) return command;

  const language = detectLanguage(text);
  const wording = WORDING[language];
  const question = readTimeQuestion(text);
  if (question === null) return { kind: 'say', text: wording.introduction };
  const clock = findClock(request.tools);
  if (clock === undefined) return { kind: 'say', text: `${wording.noTool}\n\n${wording.note}` };
  if (!mayCall) return { kind: 'say', text: `${wording.callsDisabled}\n\n${wording.note}` };
  const calls = dateCalls(question, language).map((args) => ({
    name: clock.name,
    arguments: args,
    argumentsText: JSON.stringify(args),
  }));
  return { kind: 'call', text: '', calls };
}

function findClock(tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return tools.find(({ tool }) => tool.name === 'get-date');
}

function isToolMessage(message: Message): message is ToolMessage {
  return message.role === 'tool';
}

function answerFrom(results: readonly ToolMessage[], questionText: string, messages: readonly Message[]): string {
  const language = detectLanguage(questionText);
  const question = questionText.trim().startsWith('/') ? null : readTimeQuestion(questionText);
  const caller = messages.findLast((message) => message.role === 'assistant');
  const sentences = results.map((message) => {
    const { result, callId } = message.parts[0];
    const text = resultText(message);
    if (result.isError) return WORDING[language].failed(message.name, text);
    if (question === null) return `The tool ${message.name} answered:\n${text}`;
    return timeSentence(question, findPlace(caller, callId, questionText), text, language);
  });
  return `${sentences.join('\n')}\n\n${WORDING[language].note}`;
}

/** The place a call was about: of several in one time zone, the one the user named. */
function findPlace(caller: AssistantMessage | undefined, callId: string, question: string): DemoCity | null {
  const call = caller?.parts.find((part) => part.type === 'tool_call' && part.callId === callId);
  const zone = call?.type === 'tool_call' ? call.arguments['timezone'] : undefined;
  if (typeof zone !== 'string') return null;
  const inZone = (place: DemoCity): boolean => place.zone === zone;
  return findCities(question).find(inZone) ?? DEMO_CITIES.find(inZone) ?? { zone, en: zone, hant: zone, hans: zone };
}

function resultText(message: ToolMessage): string {
  const { content, structured } = message.parts[0].result;
  const texts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'resource':
        return part.text ?? `[${labelOf(part)}]`;
      default:
        return `[${labelOf(part)}]`;
    }
  });
  const text = texts.filter((piece) => piece !== '').join('\n');
  if (text !== '') return text;
  return structured === undefined ? '(no output)' : JSON.stringify(structured);
}
