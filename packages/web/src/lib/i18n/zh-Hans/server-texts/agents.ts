export const agents = {
  'Mention another agent, or none.': '请提及其他智能体，或不要提及。',
  'This file is not an agent.': '此文件不是智能体。',
  'Import an agent exported from Toolyard or LobeHub, or a character card as JSON or PNG.':
    '请导入从 Toolyard 或 LobeHub 导出的智能体，或 JSON、PNG 格式的角色卡。',
  'The file contains no agents.': '文件中没有智能体。',
  'The file was written by a newer Toolyard (its version is {0}).': '此文件由较新的 Toolyard 写入（版本 {0}）。',
  'Update Toolyard, then import it again.': '请更新 Toolyard，再重新导入。',
  'An agent must be an object.': '智能体必须是对象。',
  '"{0}" must be an object.': '“{0}”必须是对象。',
  '"{0}" must be a string.': '“{0}”必须是字符串。',
  '"spec": this version of character cards is not supported ({0}).': '“spec”：不支持此版本的角色卡（{0}）。',
  'This PNG image contains no character card: it has no text chunk "chara" or "ccv3".':
    '此 PNG 图片没有角色卡：没有“chara”或“ccv3”文本块。',
  'Programs that convert or shrink images remove the card. Download the original file.':
    '转换或缩小图片的程序会移除角色卡。请下载原始文件。',
  'The character card in this PNG image is not Base64.': '此 PNG 图片中的角色卡不是 Base64。',
  'Invalid PNG: no chunk begins at byte {0}.': 'PNG 无效：字节 {0} 处不是块的开头。',
  'Invalid PNG: the checksum of the chunk {0} at byte {1} is wrong.': 'PNG 无效：字节 {1} 处的块 {0} 校验和错误。',
  'Invalid PNG: the file ends within the chunk at byte {0}.': 'PNG 无效：文件在字节 {0} 的块中中断。',
  'Download the file again.': '请重新下载文件。',
};
