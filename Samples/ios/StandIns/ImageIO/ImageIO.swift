// Declarations of Apple's ImageIO for type-checking on Linux; nothing of it goes into an app.

public import Foundation
public import UIKit

/// Core Foundation's types, which ImageIO brings along.
public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias OSStatus = Int32

public typealias CGImageSourceAnimationBlock = (Int, CGImage, UnsafeMutablePointer<Bool>) -> Void

@discardableResult
public func CGAnimateImageDataWithBlock(
    _ data: CFData,
    _ options: CFDictionary?,
    _ block: @escaping CGImageSourceAnimationBlock,
) -> OSStatus { 0 }
