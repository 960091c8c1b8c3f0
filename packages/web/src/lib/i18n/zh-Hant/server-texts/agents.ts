export const agents = {
  'Mention another agent, or none.': '請提及其他代理，或不要提及。',
  'This file is not an agent.': '這個檔案不是代理。',
  'Import an agent exported from Toolyard or LobeHub, or a character card as JSON or PNG.':
    '請匯入從 Toolyard 或 LobeHub 匯出的代理，或 JSON、PNG 格式的角色卡。',
  'The file contains no agents.': '檔案中沒有代理。',
  'The file was written by a newer Toolyard (its version is {0}).': '這個檔案由較新的 Toolyard 寫入（版本 {0}）。',
  'Update Toolyard, then import it again.': '請更新 Toolyard，再重新匯入。',
  'An agent must be an object.': '代理必須是物件。',
  '"{0}" must be an object.': '「{0}」必須是物件。',
  '"{0}" must be a string.': '「{0}」必須是字串。',
  '"spec": this version of character cards is not supported ({0}).': '「spec」：不支援這個版本的角色卡（{0}）。',
  'This PNG image contains no character card: it has no text chunk "chara" or "ccv3".':
    '這個 PNG 圖片沒有角色卡：沒有「chara」或「ccv3」文字區塊。',
  'Programs that convert or shrink images remove the card. Download the original file.':
    '轉換或縮小圖片的程式會移除角色卡。請下載原始檔案。',
  'The character card in this PNG image is not Base64.': '這個 PNG 圖片中的角色卡不是 Base64。',
  'Invalid PNG: no chunk begins at byte {0}.': 'PNG 無效：位元組 {0} 處不是區塊的開頭。',
  'Invalid PNG: the checksum of the chunk {0} at byte {1} is wrong.': 'PNG 無效：位元組 {1} 處的區塊 {0} 檢查碼錯誤。',
  'Invalid PNG: the file ends within the chunk at byte {0}.': 'PNG 無效：檔案在位元組 {0} 的區塊中斷。',
  'Download the file again.': '請重新下載檔案。',
};
