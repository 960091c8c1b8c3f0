import type { Command } from 'commander';
import { Option } from 'commander';
import { actions } from '../../actions.ts';
import type { Invocation } from '../../command-io.ts';
import { positiveInteger, positiveNumber, repeatable } from '../../options.ts';

/** Defines `toolyard model`: single requests outside a conversation. */
export function defineAbilities(program: Command, invocation: Invocation): void {
  const model = program
    .command('model')
    .description('Send one request to a model: embeddings, images, speech, transcription, structured output')
    .exitOverride();

  withModelOptions(model.command('embed').description('Create embeddings, one vector per line'))
    .argument('[text...]', 'texts to embed; without any, or with "-": the lines of stdin')
    .option('--dimensions <n>', 'number of dimensions', positiveInteger)
    .action(actions(invocation, () => import('./embed-command.ts'))((commands) => commands.embedCommand));

  withModelOptions(withOutput(model.command('image').description('Generate an image from a prompt')))
    .argument('[prompt]', 'description of the image (default or "-": stdin)')
    .addOption(repeatable('--from <file>', 'input image'))
    .option('--size <width x height>', 'image size, such as 1024x1024')
    .option('--count <n>', 'number of images; their files are numbered', positiveInteger)
    .action(actions(invocation, () => import('./image-command.ts'))((commands) => commands.imageCommand));

  withModelOptions(withOutput(model.command('speak').description('Convert text to speech')))
    .argument('[text]', 'text to speak (default or "-": stdin)')
    .option('--voice <name>', 'voice')
    .addOption(
      new Option('--format <format>', 'audio format (default: from the file name, else mp3)').choices([
        'mp3',
        'wav',
        'opus',
        'aac',
        'flac',
        'pcm',
      ]),
    )
    .option('--speed <factor>', 'speed; 1 is normal', positiveNumber)
    .option('--instructions <text>', 'instructions for the voice, such as tone')
    .action(actions(invocation, () => import('./speak-command.ts'))((commands) => commands.speakCommand));

  withModelOptions(model.command('transcribe').description('Transcribe audio'))
    .argument('<file>', 'audio file; "-" reads stdin')
    .option('--type <media type>', 'media type, such as audio/wav (default: from the file name)')
    .option('--language <code>', 'language of the audio, such as de')
    .option('--prompt <text>', 'names and terms that occur in the audio')
    .action(actions(invocation, () => import('./transcribe-command.ts'))((commands) => commands.transcribeCommand));

  withModelOptions(model.command('object').description('Generate JSON that matches a schema'))
    .argument('[prompt]', 'prompt (default or "-": stdin)')
    .requiredOption('--schema <file or JSON>', 'JSON Schema of the answer')
    .option('--name <name>', 'name of the object (default: answer)')
    .addOption(repeatable('--from <file>', 'input image or audio file'))
    .action(actions(invocation, () => import('./object-command.ts'))((commands) => commands.objectCommand));
}

function withModelOptions(command: Command): Command {
  return command
    .requiredOption('--model <name>', 'model name')
    .option('--provider <id>', 'provider ID (default: the only provider that lists the model)')
    .option('--json', 'print the whole response as JSON')
    .option('--server [url]', 'send the request through a running server (default: the server of the data folder)')
    .option('--token <text>', 'access token or API key of the server (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'data folder of config.json and the server (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

function withOutput(command: Command): Command {
  return command.option('-o, --output <file>', 'write to this file (default: stdout)');
}
